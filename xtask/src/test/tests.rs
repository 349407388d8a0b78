use super::names_package;

#[test]
fn a_package_is_seen_only_before_the_arguments_of_the_tests() {
    let names = |words: &str| {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        names_package(&words)
    };
    assert!(names("-p bothy-domain"));
    assert!(names("--package=bothy-domain -- NAME"));
    assert!(!names("-- -p"));
    assert!(!names("--profile release NAME"));
    assert!(!names(""));
}
