//! Templates that mean harm.
use callsign_template::*;
fn run(t: &str) -> String {
    let b = std::time::Instant::now();
    let r = match ChatTemplate::new(t) {
        Ok(t) => t.render(&Conversation::new(&[])),
        Err(e) => Err(e),
    };
    let s = match r {
        Ok(p) => format!("ok {}", p.len()),
        Err(e) => e.to_string(),
    };
    format!("{:?} {}", b.elapsed(), &s.chars().take(120).collect::<String>())
}
#[test]
fn t() {
    for t in [
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m(n) %}{% for i in [1,2] %}{{ m(n) }}{% endfor %}{% endmacro %}{{ m(1) }}",
        "{{ 'a'.ljust(999999999999) | length }}{{ 'a' | center(99999999999) | length }}{{ '%999999999d' | format(1) }}",
        "{{ 'a'.zfill(99999999999999) | length }}{{ 'a\\na' | indent(99999999) | length }}",
        "{% set ns = namespace(s=[]) %}{% for i in range(1000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s | tojson | length }}",
        "{% set ns = namespace(s=[]) %}{% for i in range(20000) %}{% set ns.s = [ns.s] %}{% endfor %}",
        "{% set ns = namespace(s=[]) %}{% for i in range(2000) %}{% set ns.s = ns.s + [1] %}{% endfor %}{{ ns.s | length }}",
        "{% set ns = namespace(s=[], t=[]) %}{% for j in range(6) %}{% for i in range(100000) %}{% set ns.s = [ns.s] %}{% set ns.t = [ns.t] %}{% endfor %}{% endfor %}{{ ns.s == ns.t }}",
        "{% set ns = namespace(s=[], t=[]) %}{% for i in range(99999) %}{% set ns.s = [ns.s] %}{% set ns.t = [ns.t] %}{% endfor %}{{ ns.s == ns.t }}{{ ns.s < ns.t }}{{ ns.s in [ns.t] }}",
        "{% set ns = namespace(s=[]) %}{% for j in range(10000) %}{% for i in range(100000) %}{% set ns.s = [ns.s] %}{% endfor %}{% endfor %}",
        "{% set ns = namespace(s=[]) %}{% for i in range(99999) %}{% set ns.s = [ns.s] %}{% endfor %}{{ 'a' ~ ns.s }}",
        "{% set ns = namespace(s=[]) %}{% for i in range(100000) %}{% set ns.s = [ns.s] %}{% endfor %}",
    ] {
        eprintln!("{} -> {}", &t[..t.len().min(90)], run(t));
    }
    for open in ["(", "[", "{{", "not ", "-", "{'a':", "a.b|c("] {
        eprintln!("{open} {}", run(&format!("{{{{ {} }}}}", open.repeat(65000 / open.len()))));
    }
    for open in ["{% elif x %}", "{% if x %}", "{% for a in b %}", "{% macro x() %}", "{% with %}"]
    {
        eprintln!("{open} {}", run(&open.repeat(65000 / open.len())));
    }
    eprintln!("{}", run(&format!("{{{{ a{} }}}}", ".b".repeat(32500))));
    eprintln!("{}", run(&format!("{{{{ a{} }}}}", "|trim".repeat(13000))));
    eprintln!("{}", run(&format!("{{{{ 1{} }}}}", "+1".repeat(32500))));
    eprintln!("{}", run(&format!("{{{{ 1{} }}}}", " if 1 else 1".repeat(5416))));
    eprintln!("{}", run(&format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(83333))));
}
