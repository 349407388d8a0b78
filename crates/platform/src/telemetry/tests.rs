use super::{start, writes_json};
use crate::config::{Log, LogFormat};

#[test]
fn auto_writes_text_for_people_and_json_for_programs() {
    assert!(!writes_json(LogFormat::Auto, true));
    assert!(writes_json(LogFormat::Auto, false));
    for terminal in [true, false] {
        assert!(!writes_json(LogFormat::Text, terminal));
        assert!(writes_json(LogFormat::Json, terminal));
    }
}

#[test]
fn logging_starts_once_and_not_with_a_wrong_level() {
    let wrong = Log { level: "=[".to_owned(), ..Log::default() };
    assert!(start(&wrong, false).unwrap_err().to_string().starts_with("log.level: "));
    let quiet = Log { level: "error".to_owned(), format: LogFormat::Json };
    start(&quiet, false).unwrap();
    assert!(start(&quiet, false).unwrap_err().to_string().starts_with("logging was started twice"));
}
