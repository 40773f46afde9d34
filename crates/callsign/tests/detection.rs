//! Which dialect templates speak: those that are written plainly, and those that
//! make it hard to tell.

#![cfg(all(feature = "template", feature = "full"))]
#![allow(clippy::expect_used, reason = "a template that is none fails the test")]

use callsign::detect;
use callsign::template::{ChatTemplate, Detection, TemplateSource, Undetected, Verdict};

/// A template that prints the tools, and a call by what stands in for CALL.
const AROUND: &str = "{% if tools %}{{ tools | tojson }}\n{% endif %}\
    {% for m in messages %}<|{{ m.role }}|>{{ m.content }}\
    {% for c in m.tool_calls or [] %}{% set f = c.function %}CALL{% endfor %}\n{% endfor %}\
    {% if add_generation_prompt %}<|assistant|>{% endif %}";

const HERMES: &str = "{{ '<tool_call>\n{\"name\": \"' + f.name + '\", \"arguments\": ' + (f.arguments | tojson) + '}\n</tool_call>' }}";

fn of(call: &str) -> Result<Detection, Undetected> {
    detect(&ChatTemplate::new(&AROUND.replace("CALL", call)).expect("it is a template"))
}

/// The name of the dialect and the verdict.
fn found(call: &str) -> (String, Verdict) {
    let chosen = of(call).expect("a dialect").chosen;
    (chosen.dialect.name().to_owned(), chosen.verdict)
}

#[test]
fn a_call_that_is_written_plainly() {
    assert_eq!(found(HERMES), ("hermes".to_owned(), Verdict::Same));
}

#[test]
fn tags_that_are_put_together() {
    let call = HERMES.replace("'<tool_call>", "'<' + 'tool_' + 'call>");
    assert_eq!(found(&call), ("hermes".to_owned(), Verdict::Same));
    let dsml = "{% set t = '｜DSML｜' %}{{ '\n\n<' + t + 'function_calls>\n<' + t + 'invoke name=\"' + f.name + '\">\n' }}\
        {% for k, v in f.arguments.items() %}{{ '<' + t + 'parameter name=\"' + k + '\" string=\"' + ('true' if v is string else 'false') + '\">' \
        + (v if v is string else v | tojson) + '</' + t + 'parameter>\n' }}{% endfor %}\
        {{ '</' + t + 'invoke>\n</' + t + 'function_calls>' }}";
    assert_eq!(found(dsml), ("deepseek-dsml@v3.2".to_owned(), Verdict::Same));
}

#[test]
fn a_damaged_copy_is_told_as_such() {
    let call = HERMES.replace("'}\n</tool_call>'", "'</tool_call>'");
    assert_eq!(found(&call), ("hermes".to_owned(), Verdict::Damaged));
}

/// A mention of another family's tag decides nothing where a call can be read.
#[test]
fn of_several_that_fit_the_one_that_reads() {
    let call = format!("{HERMES}{{# [TOOL_CALLS] as others do #}}");
    let detection = of(&call).expect("a dialect");
    assert_eq!(detection.chosen.dialect.name(), "hermes");
    let other = detection.runner_up.expect("the other one");
    assert_eq!((other.dialect.name(), other.verdict), ("mistral@v3", Verdict::ReadsOtherwise));
}

#[test]
fn what_looks_like_a_dialect_and_is_none() {
    let call = "{{ '<tool_call>' + f.name + ': ' + (f.arguments | tojson) + '</tool_call>' }}";
    let Err(Undetected::ReadsOtherwise { dialect, rendered }) = of(call) else {
        panic!("it does not read back");
    };
    assert_eq!(dialect, "hermes");
    assert!(rendered.starts_with("<tool_call>get_weather: {"), "{rendered}");
}

#[test]
fn the_template_for_tools_counts() {
    let source = TemplateSource::new("{% for m in messages %}{{ m.content }}{% endfor %}")
        .named("tool_use", AROUND.replace("CALL", HERMES));
    let template = ChatTemplate::compile(&source).expect("they are templates");
    assert_eq!(detect(&template).expect("a dialect").chosen.dialect.name(), "hermes");
}

#[test]
fn a_template_that_renders_nothing_says_why() {
    let template = ChatTemplate::new("{{ raise_exception('not today') }}");
    let found = detect(&template.expect("it is a template"));
    let Err(Undetected::NotRendered { reason }) = found else { panic!("nothing can be seen") };
    assert!(reason.contains("not today"), "{reason}");
}

#[test]
fn no_calls_and_no_tools() {
    let detection = of("{# <tool_call> #}").expect("the fingerprint is there");
    assert_eq!(detection.chosen.verdict, Verdict::NotPrinted);
    let Err(error) = of("") else { panic!("nothing tells a dialect") };
    assert_eq!(error, Undetected::Unknown { prints_tools: true });
    let plain = ChatTemplate::new("{% for m in messages %}{{ m.content }}{% endfor %}");
    let Err(error) = detect(&plain.expect("it is a template")) else { panic!("it has no tools") };
    assert_eq!(error, Undetected::Unknown { prints_tools: false });
}
