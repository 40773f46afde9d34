//! Generated text that several tests of this crate read.

use proptest::prelude::*;

/// JSON in any layout, its strings without escapes.
pub(crate) fn json_text() -> impl Strategy<Value = String> {
    let space = "[ \n\t\r]{0,2}";
    let scalar = r#""[^"\\\x00-\x1f]{0,4}"|-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?|true|false|null"#;
    scalar.prop_recursive(4, 24, 4, move |value| {
        let item =
            (space, value, space).prop_map(|(before, value, after)| before + &value + &after);
        let key = (r#"[ \n]?"[^"\\\x00-\x1f]{0,3}"[ \n]?"#, item.clone());
        let member = key.prop_map(|(key, value)| key + ":" + &value);
        prop_oneof![
            proptest::collection::vec(item, 1..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec(member, 1..4)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
            space.prop_map(|space| format!("[{space}]")),
            space.prop_map(|space| format!("{{{space}}}")),
        ]
    })
}
