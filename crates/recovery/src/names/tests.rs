//! One table a rule, then what holds for any name.

#![allow(clippy::unwrap_used)]

use callsign_core::{Repair, Tool, Toolset};
use proptest::prelude::*;

use super::resolve;

fn tools(names: &[&str]) -> Toolset {
    Toolset::new(names.iter().map(|name| Tool::new(*name, "{}").unwrap())).unwrap()
}

#[track_caller]
fn check(declared: &[&str], rows: &[(&str, Option<&str>)]) {
    let tools = tools(declared);
    for (written, expected) in rows {
        let found = resolve(written, &tools);
        let name = found.as_ref().map(|(tool, _)| tool.name.as_str());
        assert_eq!(name, *expected, "{written:?} among {declared:?}");
        if let Some((tool, repair)) = found {
            let changed = tool.name != *written;
            assert_eq!(repair, changed.then(|| Repair::Name((*written).to_owned())));
        }
    }
}

#[test]
fn what_leaks_into_a_name_comes_off() {
    let found = Some("get_weather");
    check(
        &["get_weather", "search"],
        &[
            ("get_weather", found),
            ("get_weather<|channel|>commentary", found),
            ("get_weather<arg_key>city", found),
            ("get_weather|", found),
            ("get_weather\", \"arguments\": {", found),
            ("\"get_weather\"", found),
            (" 'get_weather' ", found),
            ("`get_weather`", found),
            ("“get_weather”", found),
            ("get_weather\n", found),
            ("get_weather json", found),
            ("get_weather(city='Oslo')", found),
            ("get_weather[ARGS]", found),
            ("get_weather{}", found),
            ("get_weather, search", found),
            ("get_weather>", found),
            ("", None),
            ("\"\"", None),
            ("<get_weather", None),
            ("get_weather.now", None),
            ("my get_weather", None),
        ],
    );
}

#[test]
fn namespaces_and_indices_come_off() {
    let found = Some("get_weather");
    check(
        &["get_weather"],
        &[
            ("functions.get_weather", found),
            ("functions:get_weather", found),
            ("function:get_weather", found),
            ("default_api.get_weather", found),
            ("tools:get_weather", found),
            ("tools.get_weather", found),
            ("get_weather:0", found),
            ("get_weather:12", found),
            ("functions.get_weather:0", found),
            ("functions.functions.get_weather", found),
            (" \"functions.get_weather:3\"<|message|>", found),
            ("get_weather:", found),
            ("get_weather:zero", None),
            ("mine.get_weather", None),
            ("Functions.get_weather", None),
            ("functions.", None),
        ],
    );
}

#[test]
fn case_counts_only_where_it_tells_tools_apart() {
    check(
        &["get_weather", "Search", "search", "SEND"],
        &[
            ("GET_WEATHER", Some("get_weather")),
            ("functions.Get_Weather:0", Some("get_weather")),
            ("search", Some("search")),
            ("Search", Some("Search")),
            ("SEARCH", None),
            ("send", Some("SEND")),
        ],
    );
}

#[test]
fn a_declared_name_beats_every_rule() {
    check(
        &["functions.get_weather", "get_weather", "get_weather:0", "Get_weather", "a b"],
        &[
            ("functions.get_weather", Some("functions.get_weather")),
            ("functions.get_weather:0", Some("get_weather:0")),
            ("functions.get_weather:1", Some("functions.get_weather")),
            ("get_weather:0", Some("get_weather:0")),
            ("Get_weather", Some("Get_weather")),
            ("functions.Get_weather", Some("Get_weather")),
            ("a b", Some("a b")),
        ],
    );
}

#[test]
fn likeness_is_nothing() {
    check(
        &["get-weather", "list_files"],
        &[
            ("get_weather", None),
            ("get-wether", None),
            ("list_file", None),
            ("listfiles", None),
            ("list_files2", None),
        ],
    );
}

proptest! {
    #[test]
    fn a_declared_name_is_itself(names in proptest::collection::hash_set("[a-zA-Z_.:<\" ]{1,6}x", 1..6)) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let tools = tools(&names);
        for name in names {
            let (tool, repair) = resolve(name, &tools).unwrap();
            prop_assert_eq!(&tool.name, name);
            prop_assert_eq!(repair, None);
        }
    }

    #[test]
    fn what_is_found_stands_in_what_was_written(written in ".{0,4}(functions\\.)?(Get_Weather|get_weather|gat_weather)(:[0-9])?.{0,4}") {
        let tools = tools(&["get_weather", "a", "B"]);
        if let Some((tool, _)) = resolve(&written, &tools) {
            prop_assert!(written.to_ascii_lowercase().contains(&tool.name.to_ascii_lowercase()));
        }
    }
}
