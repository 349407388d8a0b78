use bothy_domain::ids::MessageId;
use bothy_domain::problem::ProblemCode;
use proptest::prelude::*;
use uuid::Uuid;

use super::{Cursor, Page, PageLimits, Paging, Part, page};

const LIMITS: PageLimits = PageLimits { default: 20, max: 50 };

fn pointer(result: Result<Paging, bothy_domain::problem::Problem>) -> String {
    let problem = result.unwrap_err();
    assert_eq!(problem.code(), ProblemCode::ValidationFailed);
    problem.errors()[0].pointer.clone()
}

#[test]
fn the_limit_is_the_default_or_one_in_range() {
    assert_eq!(Paging::parse(None, None, LIMITS).unwrap(), Paging { limit: 20, after: None });
    assert_eq!(Paging::parse(Some(1), None, LIMITS).unwrap().fetch(), 2);
    assert_eq!(Paging::parse(Some(50), None, LIMITS).unwrap().limit, 50);
    for limit in [0, 51, u32::MAX] {
        assert_eq!(pointer(Paging::parse(Some(limit), None, LIMITS)), "/query/limit");
    }
}

#[test]
fn a_text_that_is_no_cursor_is_refused() {
    let good = Cursor::int(7).encode();
    let respelled = [
        String::new(),
        "A".into(),
        "AQ".into(),
        "AgEAAAAAAAAABw".into(),
        "AQMAAAAAAAAABw".into(),
        good[..good.len() - 1].to_owned(),
        format!("{good}="),
        format!(" {good}"),
        format!("{good}AA"),
        good.replace('w', "x"),
        "A".repeat(300),
        "\u{e9}".into(),
    ];
    for text in respelled {
        assert_eq!(pointer(Paging::parse(None, Some(&text), LIMITS)), "/query/cursor", "{text}");
    }
}

#[test]
fn a_cursor_of_another_kind_of_list_is_refused() {
    let id = MessageId::from_uuid(Uuid::from_u128(9));
    let by_id = Paging::parse(None, Some(&Cursor::id(id).encode()), LIMITS).unwrap();
    assert_eq!(by_id.after_id().unwrap(), Some(id));
    assert_eq!(by_id.after_int().unwrap_err().errors()[0].pointer, "/query/cursor");
    let by_int = Paging::parse(None, Some(&Cursor::int(-4).encode()), LIMITS).unwrap();
    assert_eq!(by_int.after_int().unwrap(), Some(-4));
    assert!(by_int.after_id::<bothy_domain::ids::kind::Message>().is_err());
}

#[test]
fn a_page_names_the_next_one_only_when_there_is_more() {
    let cursor = |number: &i64| Cursor::int(*number);
    assert_eq!(page(vec![1, 2], 2, cursor), Page { items: vec![1, 2], next_cursor: None });
    assert_eq!(page(vec![1, 2, 3], 2, cursor).next_cursor, Some(Cursor::int(2).encode()));
    assert_eq!(page(Vec::new(), 2, cursor), Page { items: Vec::new(), next_cursor: None });
    let shown = page(vec![1, 2, 3], 2, cursor).retain(|number| *number != 2).map(|number| number * 10);
    assert_eq!(shown.items, [10]);
    assert!(shown.next_cursor.is_some());
}

#[test]
fn an_absent_cursor_is_left_out() {
    let text = serde_json::to_string(&Page { items: vec![1], next_cursor: None }).unwrap();
    assert_eq!(text, r#"{"items":[1]}"#);
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![any::<i64>().prop_map(Part::Int), any::<u128>().prop_map(|n| Part::Id(Uuid::from_u128(n)))]
}

proptest! {
    #[test]
    fn a_cursor_survives_the_wire(parts in proptest::collection::vec(part(), 1..4)) {
        let cursor = Cursor::new(parts);
        prop_assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
    }

    #[test]
    fn what_decodes_is_spelled_in_one_way(text in "[A-Za-z0-9_=-]{0,60}") {
        if let Some(cursor) = Cursor::decode(&text) {
            prop_assert_eq!(cursor.encode(), text);
        }
    }
}
