//! Probes of small templates that do one thing each.

#![allow(clippy::expect_used)]

use callsign_template::{
    After, ArgumentsForm, Calls, ChatTemplate, ContentForm, Prefill, Probes, Thinking,
};

fn probes(template: &str) -> Probes {
    ChatTemplate::new(template).expect("a template").probes().clone()
}

/// A template that prints all there is, without reasoning.
const ALL: &str = "\
{%- if tools %}[TOOLS]{{ tools | tojson }}{% endif -%}
{%- for m in messages %}<{{ m.role }}>{{ m.content }}
{%- for c in m.tool_calls %}[CALL]{{ c.function.name }} {{ c.function.arguments | tojson }}{% endfor %}</>
{%- endfor %}
{%- if add_generation_prompt %}<assistant>{% endif %}";

#[test]
fn a_template_that_prints_all_there_is() {
    insta::assert_debug_snapshot!(probes(ALL));
}

#[test]
fn a_template_that_prints_nothing() {
    let found = probes("nothing");
    assert!(
        !found.tools
            && !found.results
            && !found.system
            && !found.content_beside_calls
            && !found.reasoning
    );
    assert_eq!((found.calls, &*found.generation), (Calls::None, &[][..]));
}

#[test]
fn what_is_left_out_is_found_out() {
    let without = |what: &str, instead: &str| {
        assert!(ALL.contains(what), "{what}");
        probes(&ALL.replace(what, instead))
    };
    assert!(!without("{{ tools | tojson }}", "").tools);
    assert_eq!(without("in m.tool_calls", "in m.tool_calls[:1]").calls, Calls::One);
    assert_eq!(without("in m.tool_calls", "in []").calls, Calls::None);
    let refused = without(
        "</>",
        "</>{% if m.tool_calls | length > 1 %}{{ raise_exception('one') }}{% endif %}",
    );
    assert_eq!(refused.calls, Calls::One);
    assert!(
        !without("{{ m.content }}", "{{ m.content if not m.tool_calls }}").content_beside_calls
    );
    assert!(!without("{{ m.content }}", "{{ m.content if m.role != 'tool' }}").results);
    let refused =
        "{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}{{ m.content }}";
    let refused = without("{{ m.content }}", refused);
    assert!(!refused.system && refused.tools);
    assert!(without("{{ m.content }}", "{{ m.reasoning_content }}{{ m.content }}").reasoning);
}

#[test]
fn the_form_of_arguments_and_contents_is_found_out() {
    let form = |arguments: &str, content: &str| {
        let template = ALL.replace("{{ c.function.arguments | tojson }}", arguments);
        let found = probes(&template.replace("{{ m.content }}", content));
        (found.arguments, found.content)
    };
    let text = "{{ m.content }}";
    let cases = [
        ("{{ c.function.arguments | tojson }}", ArgumentsForm::Mapping),
        (
            "{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }}{% endfor %}",
            ArgumentsForm::Mapping,
        ),
        (
            "{{ c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}",
            ArgumentsForm::Mapping,
        ),
        ("{{ '' + c.function.arguments }}", ArgumentsForm::Text),
        ("{{ c.function.arguments }}", ArgumentsForm::Text),
        ("{{ '```json\\n' ~ c.function.arguments }}", ArgumentsForm::Text),
    ];
    for (arguments, expected) in cases {
        assert_eq!(form(arguments, text), (expected, ContentForm::Text), "{arguments}");
    }
    let parts = "{% for part in m.content %}{{ part['text'] }}{% endfor %}";
    assert_eq!(form(cases[0].0, parts), (ArgumentsForm::Mapping, ContentForm::Parts));
    assert_eq!(form(cases[4].0, parts), (ArgumentsForm::Text, ContentForm::Parts));
}

/// How the model's turn begins: by default, thinking, not thinking; after the
/// user's words and after a result.
fn prefills(reasoning: &str, prompt: &str) -> [[Prefill; 3]; 2] {
    let template = ALL.replace("{{ m.content }}", &format!("{reasoning}{{{{ m.content }}}}"));
    let found = probes(
        &template.replace("<assistant>{% endif %}", &format!("<assistant>{prompt}{{% endif %}}")),
    );
    [After::User, After::Result].map(|after| {
        [Thinking::Default, Thinking::On, Thinking::Off].map(|thinking| {
            found.generation(after, thinking).map_or(Prefill::Unknown, |found| found.prefill)
        })
    })
}

#[test]
fn where_the_model_goes_on_is_found_out() {
    use Prefill::{Answer, Reasoning, Turn, Unknown};
    let printed = "{% if m.reasoning_content %}<r>\n{{ m.reasoning_content }}\n</r>\n{% endif %}";
    let asked = "{% if enable_thinking %}<r>\n{% endif %}";
    let off = "{% if enable_thinking is defined and not enable_thinking %}<r>\n\n</r>\n{% endif %}";
    let either =
        "<r>\n{% if enable_thinking is defined and not enable_thinking %}\n</r>\n{% endif %}";
    for (reasoning, prompt, expected) in [
        ("", "", [Turn, Turn, Turn]),
        (printed, "", [Turn, Turn, Turn]),
        (printed, "<r>\n", [Reasoning, Reasoning, Reasoning]),
        (printed, asked, [Turn, Reasoning, Turn]),
        (printed, off, [Turn, Turn, Answer]),
        (printed, either, [Reasoning, Reasoning, Answer]),
        ("", asked, [Turn, Reasoning, Turn]),
        ("", off, [Turn, Turn, Answer]),
        ("", either, [Unknown, Unknown, Answer]),
        ("", "<r>\n", [Unknown, Unknown, Unknown]),
    ] {
        assert_eq!(prefills(reasoning, prompt), [expected; 2], "{reasoning} {prompt}");
    }
    let only_first = "{% if messages[-1].role != 'tool' %}<r>\n{% endif %}";
    assert_eq!(prefills(printed, only_first), [[Reasoning; 3], [Turn; 3]]);
}

#[test]
fn what_the_generation_prompt_adds_is_told() {
    let found = probes(ALL);
    let generation = found.generation(After::Result, Thinking::Default).expect("a prompt");
    assert_eq!(generation.text, "<assistant>");
}
