use bothy_domain::ids::PrincipalId;

use super::{Kept, KeptError, KeptPerson};

fn kept(server: &str) -> Kept {
    let id: PrincipalId = "01890000-0000-7000-8000-000000000001".parse().unwrap();
    let person = KeptPerson {
        handle: "alex".to_owned(),
        id,
        email: "alex@example.com".to_owned(),
        password: "a password of its own".to_owned(),
        session_token: "bothy_ses_example".to_owned(),
    };
    Kept { server: server.to_owned(), people: vec![person], ..Kept::default() }
}

#[test]
fn comes_back_as_it_was_and_only_its_owner_can_read_it() {
    let folder = bothy_testkit::sqlite_folder();
    let path = folder.path().join("people.json");
    let server = "http://127.0.0.1:7878";
    assert!(Kept::read(&path, server).unwrap().people.is_empty());
    std::fs::write(&path, "{}").unwrap();
    kept(server).write(&path).unwrap();
    assert!(Kept::read(&path, server).unwrap() == kept(server));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let folder = bothy_testkit::sqlite_folder();
    let path = folder.path().join("notes.json");
    std::fs::write(&path, "{\n\"shopping\": []}").unwrap();
    assert!(matches!(Kept::read(&path, "http://127.0.0.1:1"), Err(KeptError::Foreign { line: 2, .. })));
    kept("http://127.0.0.1:1").write(&path).unwrap();
    assert!(matches!(Kept::read(&path, "http://127.0.0.1:2"), Err(KeptError::OtherServer { .. })));
}
