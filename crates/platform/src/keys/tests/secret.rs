use std::fs;
use std::io::ErrorKind;

use bothy_testkit::sqlite_folder;

use crate::config::{Secret, Server};
use crate::entropy::{SeededEntropy, SystemEntropy};
use crate::keys::{InstanceSecret, SecretError};

const LABEL: &str = "test";

fn server(folder: &std::path::Path) -> Server {
    Server { data_folder: folder.to_owned(), ..Server::default() }
}

fn derived(secret: &InstanceSecret) -> [u8; 32] {
    *secret.derive(LABEL)
}

#[test]
fn the_first_start_makes_a_file_that_only_the_server_can_read() {
    let folder = sqlite_folder();
    let data = folder.path().join("a/b");
    let entropy = SystemEntropy::new().unwrap();
    let made = InstanceSecret::load_or_create(&server(&data), &entropy).unwrap();
    let path = data.join("instance.secret");
    assert!(fs::read_to_string(&path).unwrap().trim().len() >= InstanceSecret::SHORTEST);
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).unwrap()) & 0o777, 0o600);
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1, "no draft is left");
    let read = InstanceSecret::load_or_create(&server(&data), &entropy).unwrap();
    assert_eq!(derived(&made), derived(&read));
}

#[test]
fn processes_that_start_at_once_use_one_secret() {
    let folder = sqlite_folder();
    let entropy = SystemEntropy::new().unwrap();
    let secrets: Vec<[u8; 32]> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| derived(&InstanceSecret::load_or_create(&server(folder.path()), &entropy).unwrap()))
            })
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    assert!(secrets.iter().all(|secret| *secret == secrets[0]));
}

#[test]
fn a_configured_secret_wins_and_leaves_no_file() {
    let folder = sqlite_folder();
    let configured = Server { secret: Some(Secret::new("x".repeat(32))), ..server(folder.path()) };
    let secret = InstanceSecret::load_or_create(&configured, &SeededEntropy::new(1)).unwrap();
    assert_eq!(derived(&secret), derived(&InstanceSecret::new("x".repeat(32).as_bytes()).unwrap()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let short = Server { secret: Some(Secret::new("x".repeat(31))), ..configured };
    let error = InstanceSecret::load_or_create(&short, &SeededEntropy::new(1)).unwrap_err();
    assert!(error.to_string().starts_with("server.secret: the instance secret must have at least 32"), "{error}");
}

#[test]
fn a_file_that_is_exposed_short_or_unreadable_is_refused() {
    let folder = sqlite_folder();
    let path = folder.path().join("instance.secret");
    let load = || InstanceSecret::load_or_create(&server(folder.path()), &SeededEntropy::new(1));
    fs::write(&path, "y".repeat(40)).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(load(), Err(SecretError::Exposed(_))));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    load().unwrap();
    fs::write(&path, "short\n").unwrap();
    assert!(matches!(load(), Err(SecretError::Short(_))));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(load(), Err(SecretError::File { cause, .. }) if cause.kind() != ErrorKind::NotFound));
}

#[test]
fn keys_of_different_labels_and_secrets_differ_and_nothing_is_printed() {
    let secret = InstanceSecret::new(&[1; 32]).unwrap();
    assert_ne!(*secret.derive("a"), *secret.derive("b"));
    assert_ne!(derived(&secret), derived(&InstanceSecret::new(&[2; 32]).unwrap()));
    assert_eq!(format!("{secret:?}"), "InstanceSecret");
    assert!(InstanceSecret::new(&[1; 31]).is_none());
}
