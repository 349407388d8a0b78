use super::{as_text, dashes, decisions};

#[test]
fn long_dashes_are_found_with_their_line() {
    let text = "plain - text\na \u{2013} b\nc \u{2014} d\n";
    assert_eq!(dashes("README.md", text), ["README.md:2: an en dash", "README.md:3: an em dash"]);
}

#[test]
fn binary_files_are_no_text() {
    assert_eq!(as_text(b"a\0b"), None);
    assert_eq!(as_text(&[0xff, 0xfe]), None);
    assert_eq!(as_text(b"words"), Some("words"));
}

#[test]
fn a_complete_table_is_accepted() {
    let text = "\
# Decisions

| date | decision | reason |
| --- | :---: | --- |
| 2026-03-01 | `a \\| b` is one cell | because pipes are escaped |
";
    assert_eq!(decisions(text), Vec::<String>::new());
}

#[test]
fn columns_are_found_by_name() {
    let text = "\
| no | Reason | Decision | Date |
|---|---|---|---|
| 1 | why | what | 2026-03-01 |
";
    assert_eq!(decisions(text), Vec::<String>::new());
}

#[test]
fn each_gap_in_a_row_is_named() {
    let text = "\
| date | decision | reason |
| --- | --- | --- |
| 1 March | | |
| 2026-13-01 | what |
";
    assert_eq!(
        decisions(text),
        [
            "docs/decisions.md:3: the date is not written as year-month-day",
            "docs/decisions.md:3: the decision is empty",
            "docs/decisions.md:3: the reason is empty",
            "docs/decisions.md:4: the date is not written as year-month-day",
            "docs/decisions.md:4: the reason is empty",
        ]
    );
}

#[test]
fn a_table_of_other_things_and_an_empty_list_are_refused() {
    let text = "| a | b |\n| --- | --- |\n| 1 | 2 |\n";
    assert_eq!(
        decisions(text),
        [
            "docs/decisions.md:1: a table without the columns date, decision and reason",
            "docs/decisions.md: holds no decision",
        ]
    );
}
