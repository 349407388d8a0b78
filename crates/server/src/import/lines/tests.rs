use super::super::source::{Author, SourceChannel};
use super::Lines;

#[test]
fn lines_are_read_one_by_one_and_each_bad_one_is_named() {
    let text = concat!(
        "\u{FEFF}{\"type\":\"person\",\"id\":\"u1\",\"name\":\"Sam\",\"email\":\" Sam@Example.com \"}\n",
        "\n",
        "{\"type\":\"message\",\"channel\":\"general\",\"key\":\"m1\",\"author\":\"u1\",\"content_md\":\"hi\",\"created_at\":\"2020-01-31T09:30:00Z\"}\r\n",
        "not json\n",
        "{\"type\":\"message\",\"channel\":\"general\",\"key\":\"m2\",\"author\":\"u1\",\"author_name\":\"Sam\",\"content_md\":\"hi\",\"created_at\":\"2020-01-31T09:30:00Z\"}\n",
        "{\"type\":\"message\",\"channel\":\"general\",\"key\":\"m3\",\"author_name\":\"Kim\",\"content_md\":\"hi\",\"created_at\":\"soon\"}\n",
        "{\"type\":\"reaction\"}\n",
        "{\"type\":\"message\",\"channel\":\"other\",\"key\":\"m4\",\"author_name\":\"Kim\",\"content_md\":\"hi\",\"created_at\":\"2020-01-31T09:30:00Z\",\"colour\":\"red\"}\n",
        "{\"type\":\"message\",\"channel\":\"other\",\"key\":\"m5\",\"parent\":\"m1\",\"author_name\":\"Kim\",\"content_md\":\"last\",\"created_at\":\"2020-01-31T09:30:00Z\"}",
    );
    let mut read = Lines::parse("history.jsonl", text.as_bytes());
    assert_eq!(read.people["u1"].email.as_deref(), Some("sam@example.com"));
    let names: Vec<&str> = read.channels.iter().map(|channel| channel.name.as_str()).collect();
    assert_eq!(names, ["general", "other"]);
    let left: Vec<(Option<usize>, &str)> = read.left.iter().map(|left| (left.at, left.what.as_str())).collect();
    assert_eq!(
        left,
        [
            (Some(4), "a line that is not JSON"),
            (Some(5), "a message needs either author or author_name"),
            (Some(6), "a line with a wrong or unknown member"),
            (Some(7), "a line with a wrong or unknown member"),
            (Some(8), "a line with a wrong or unknown member"),
        ]
    );
    let general = SourceChannel { id: "general".to_owned(), name: "general".to_owned() };
    let messages = read.take(&general);
    assert_eq!((messages.len(), messages[0].at), (1, 3));
    assert_eq!(messages[0].author, Author::Listed("u1".to_owned()));
    assert!(read.take(&general).is_empty());
}
