//! A throwaway cluster, shared by all test processes of a user.
//!
//! It lives in the folder for temporary files, since the user that runs PostgreSQL must be able to
//! reach it. Each test process holds a shared lock on `users` while it lives; a watchdog stops the
//! server when nobody has held it for some minutes. The lock `starting` lets one process at a time
//! look for the server and start it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// What to do when there are no binaries.
const MISSING: &str = "these tests need PostgreSQL 15 or newer: install it (Debian: apt-get install postgresql), \
                       or set BOTHY_TEST_POSTGRES_URL to the address of a server that may create databases";

/// Stops the server when no test process has used it for five minutes. Its arguments are the
/// folder, the data folder, and the command that stops the server.
const WATCHDOG: &str = r#"
folder=$1; data=$2; shift 2
while sleep 20; do
  [ -e "$data/postmaster.pid" ] || exit 0
  [ -n "$(find "$folder/users" -mmin +5)" ] || continue
  flock -n -x "$folder/users" "$@" >/dev/null 2>&1 && rm -rf "$data" && exit 0
done
"#;

/// The address of the running cluster; starts it when needed.
pub(super) fn shared() -> String {
    static USERS: OnceLock<File> = OnceLock::new();
    let folder = std::env::temp_dir().join(format!("bothy-test-postgres-{}", command_output("id", &["-u"])));
    fs::create_dir_all(&folder).expect("tests need a writable folder for temporary files");
    let users = lock_file(&folder.join("users"));
    users.lock_shared().expect("file locks");
    // Writing tells the watchdog when it was last used.
    (&users).write_all(b".").expect("a writable folder for temporary files");
    drop(USERS.set(users));

    let starting = lock_file(&folder.join("starting"));
    starting.lock().expect("file locks");
    let state = folder.join("state");
    if let Ok(url) = fs::read_to_string(&state)
        && super::answers(&url)
    {
        return url;
    }
    let url = start(&folder);
    fs::write(&state, &url).expect("a writable folder for temporary files");
    url
}

fn start(folder: &Path) -> String {
    let binaries = binaries();
    let data = folder.join(format!("data-{}", crate::unique()));
    fs::create_dir_all(&data).expect("a writable folder for temporary files");
    let is_root = command_output("id", &["-u"]) == "0";
    if is_root {
        succeed(Command::new("chown").arg("postgres").arg(&data));
    }
    succeed(
        as_server(is_root, &binaries.join("initdb"))
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(&data),
    );
    let port = free_port();
    let log = data.join("server.log");
    let output = File::create(&log).expect("a writable folder for temporary files");
    let mut server = as_server(is_root, &binaries.join("postgres"))
        .arg("-D")
        .arg(&data)
        .args(["-p", &port.to_string(), "-h", "127.0.0.1", "-k", "", "-N", "300"])
        .args(["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_wal_size=256MB"])
        .stdin(Stdio::null())
        .stdout(output.try_clone().expect("file handles"))
        .stderr(output)
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("PostgreSQL does not start: {error}"));
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
    wait_until_it_answers(&url, &mut server, &log);
    watch(folder, &data, &binaries, is_root);
    url
}

fn wait_until_it_answers(url: &str, server: &mut Child, log: &Path) {
    for _ in 0..300 {
        if super::answers(url) {
            return;
        }
        if server.try_wait().ok().flatten().is_some() {
            break;
        }
        pause(Duration::from_millis(100));
    }
    panic!("PostgreSQL does not answer; its log says:\n{}", fs::read_to_string(log).unwrap_or_default());
}

#[allow(clippy::disallowed_methods, reason = "waits for a real server to start")]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// Starts the watchdog. Where its tools are missing, the server simply stays.
fn watch(folder: &Path, data: &Path, binaries: &Path, is_root: bool) {
    let stop = as_server(is_root, &binaries.join("pg_ctl"));
    drop(
        Command::new("sh")
            .args(["-c", WATCHDOG, "bothy-test-postgres"])
            .arg(folder)
            .arg(data)
            .arg(stop.get_program())
            .args(stop.get_args())
            .args(["stop", "-w", "-m", "fast", "-D"])
            .arg(data)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn(),
    );
}

/// A command that runs as a user that PostgreSQL accepts: it refuses root.
fn as_server(is_root: bool, program: &Path) -> Command {
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir("/");
    command
}

/// The folder with the newest installed binaries.
fn binaries() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin"))))
        .filter(|(version, folder)| *version >= 15 && folder.join("initdb").exists())
        .max();
    if let Some((_, folder)) = newest {
        return folder;
    }
    ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin", "/usr/local/pgsql/bin"]
        .into_iter()
        .map(PathBuf::from)
        .find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
        .unwrap_or_else(|| panic!("{MISSING}"))
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).and_then(|socket| socket.local_addr()).expect("a free port").port()
}

fn lock_file(path: &Path) -> File {
    OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open(path)
        .expect("a writable folder for temporary files")
}

fn command_output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
}
