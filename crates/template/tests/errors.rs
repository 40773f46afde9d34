//! Errors, as a user reads them.

#![allow(clippy::expect_used)]

use std::fmt::Write;

use callsign_core::{Message, Role};
use callsign_template::{ChatTemplate, Conversation};

/// The error of a template over three messages.
fn error(template: &str) -> String {
    let messages = [(Role::System, "S"), (Role::User, "U"), (Role::User, "V")]
        .map(|(role, content)| Message::new(role, content));
    let rendered = ChatTemplate::new(template)
        .and_then(|template| template.render(&Conversation::new(&messages)));
    rendered.expect_err("an error").to_string()
}

#[test]
fn errors_say_what_where_and_show_the_line() {
    let long = format!("{}{{{{ nothing.at.all }}}}{}", "a".repeat(80), "b".repeat(80));
    let mut all = String::new();
    for template in [
        "line\n  {% if x }\nrest",
        "{% for m in messages %}\n{{ m }}",
        "{{ 'never closed }}",
        "{% nonsense %}",
        "é {{ a..b }}",
        "{% set x = messages[0] %}\n{{ x.nothing.at_all }}",
        "{{ 1 | nosuchfilter }}",
        "{{ none + 'a' }}",
        "{{ messages[0].content() }}",
        "{{ messages | map('nosuch') | list }}",
        &long,
        "{{ raise_exception('Only tools, please!') }}",
        "{%- for message in messages %}\n{%- if message.role == 'user' and loop.index0 == 2 %}\n{{- raise_exception('Roles must alternate') }}\n{%- endif %}{% endfor %}",
        "{% macro check(m) %}{{ raise_exception('No ' + m.role) }}{% endmacro %}{{ check(messages[1]) }}",
        "{{ raise_exception(none) }}",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ 'a' * 70000000 }}",
        "{{ messages.append(1) }}",
        "a\r\n{% generation b %}",
        "{%- generation %}\n{{ messages[0] }}",
    ] {
        let _ = writeln!(all, "{template}\n-----\n{}\n=====", error(template));
    }
    insta::assert_snapshot!(all);
}
