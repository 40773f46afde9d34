//! Templates that mean harm end, soon, with an error or a prompt.

#![allow(clippy::expect_used)]

use callsign_template::{ChatTemplate, Conversation, Limit, TemplateError};

fn render(template: &str) -> Result<String, TemplateError> {
    ChatTemplate::new(template)?.render(&Conversation::new(&[]))
}

#[track_caller]
fn endless(template: &str) {
    let rendered = render(template);
    assert!(matches!(rendered, Err(TemplateError::Endless(Limit::Fuel))), "{rendered:?}");
}

/// A template that does `body` so many times, with a namespace at hand.
fn times(count: usize, body: &str, then: &str) -> String {
    format!(
        "{{% set ns = namespace(s=[], t=[], n=0) %}}{{% for i in range({count}) %}}{body}{{% endfor %}}{then}"
    )
}

#[test]
fn loops_end() {
    endless("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}");
    endless(&times(99999, "{% set x = 'a' * 100000 %}", ""));
    assert!(matches!(
        render(&times(99999, "{{ 'a' * 100000 }}", "")),
        Err(TemplateError::Endless(Limit::Output))
    ));
    assert!(matches!(
        render("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
        Err(TemplateError::Failed(_))
    ));
}

#[test]
fn what_grows_stops() {
    endless(&times(60, "{% set ns.n = 'a' if loop.first else ns.n + ns.n %}", ""));
    // Forty lists, and more than a million million brackets.
    let nested = "{% set ns.s = [ns.s, ns.s] %}";
    for printed in [
        "{{ ns.s }}",
        "{{ ns.s | tojson }}",
        "{{ ns.s | string }}",
        "{{ [ns.s] | join }}",
        "{{ ns.s | trim }}",
    ] {
        endless(&times(40, nested, printed));
    }
    for padded in [
        "'a'.ljust(N)",
        "'a'.zfill(N)",
        "'a' | center(N)",
        "'a\nb' | indent(N)",
        "'a'.center(N)",
        "'a' | tojson(indent=N)",
    ] {
        assert!(
            render(&format!("{{{{ {} }}}}", padded.replace('N', "99999999999")))
                .is_ok_and(|text| text.len() < 2 << 20)
        );
    }
}

#[test]
fn depth_is_no_matter() {
    let nested = "{% set ns.s = [ns.s] %}{% set ns.t = [ns.t] %}";
    let prompt = render(&times(99999, nested, "{{ ns.s == ns.t }}")).expect("a prompt");
    assert_eq!(prompt, "True");
    assert_eq!(render(&times(99999, nested, "{{ ns.s }}")).expect("a prompt").len(), 200_000);
    endless(&times(99999, &times(99999, nested, ""), ""));
    for (open, close) in [
        ("(", ""),
        ("[", ""),
        ("{'a':", ""),
        ("not ", "1"),
        ("-", "1"),
        ("1 if 1 else ", "1"),
        ("a.b(", ""),
    ] {
        // An error or not; the stack holds.
        let _ = render(&format!("{{{{ {}{close} }}}}", open.repeat(8_000 / open.len())));
    }
    for more in [".b", "|trim", "+1", "~1", "[0]", " and 1", " is defined"] {
        let _ = render(&format!("{{{{ 1{} }}}}", more.repeat(8_000 / more.len())));
    }
    for block in
        ["{% if 1 %}", "{% for a in b %}", "{% with %}", "{% macro a() %}", "{% filter trim %}"]
    {
        assert!(matches!(render(&block.repeat(10_000)), Err(TemplateError::Syntax(_))));
    }
    assert_eq!(
        render(&format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(20_000)))
            .expect("a prompt"),
        ""
    );
}
