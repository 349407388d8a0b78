use bothy_domain::ids::SpaceId;
use bothy_domain::time::Timestamp;
use uuid::Uuid;

use super::Value;

#[test]
fn parameters_convert_from_what_stores_have() {
    let id = SpaceId::from_uuid(Uuid::from_u128(7));
    let missing: Option<SpaceId> = None;
    assert_eq!(
        crate::params![
            id,
            &id,
            Some(id),
            missing,
            &missing,
            "Lotse",
            Timestamp::from_micros(5),
            true,
            vec![id],
            [1_u8; 2]
        ],
        [
            Value::Uuid(id.uuid()),
            Value::Uuid(id.uuid()),
            Value::Uuid(id.uuid()),
            Value::Null,
            Value::Null,
            Value::Text("Lotse".to_owned()),
            Value::Int(5),
            Value::Bool(true),
            Value::IdList(vec![id.uuid()]),
            Value::Bytes(vec![1, 1]),
        ]
    );
    assert!(crate::params![].is_empty());
}

#[test]
fn debug_never_shows_a_value() {
    let shown = format!("{:?}", crate::params!["canary", b"canary", vec!["canary".to_owned()], 4711_i64]);
    assert_eq!(shown, "[text, bytes, list of texts, integer]");
}
