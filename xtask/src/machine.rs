//! What the tests need from the machine, and its installation from the system's packages.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::{IsTerminal, stdin};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::error::TaskError;
use crate::process;

/// The oldest PostgreSQL that the server accepts.
const OLDEST_POSTGRES: u32 = 15;

/// Something outside of Rust that the tests need.
struct Need {
    name: &'static str,
    packages: &'static [&'static str],
    present: fn() -> bool,
}

const NEEDS: &[Need] = &[
    Need { name: "a C compiler (for the bundled SQLite)", packages: &["gcc", "libc6-dev"], present: has_compiler },
    Need { name: "the PostgreSQL server, version 15 or newer", packages: &["postgresql"], present: has_postgres },
];

/// Installs what the tests need and the machine lacks.
///
/// Errors: `Machine` when packages cannot be installed here; it names what is missing.
pub(crate) fn prepare() -> Result<(), TaskError> {
    let missing = missing();
    if missing.is_empty() {
        println!("system packages: everything is there");
        return Ok(());
    }
    println!("missing on this machine: {}", names(&missing));
    install(&missing)?;
    let still = self::missing();
    if still.is_empty() {
        return Ok(());
    }
    Err(TaskError::Machine(format!("still missing after the installation: {}", names(&still))))
}

fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| !(need.present)()).collect()
}

fn names(needs: &[&Need]) -> String {
    let names: Vec<&str> = needs.iter().map(|need| need.name).collect();
    names.join("; ")
}

fn install(missing: &[&Need]) -> Result<(), TaskError> {
    let packages: Vec<&str> = missing.iter().flat_map(|need| need.packages).copied().collect();
    let (program, leading) = administrator(&packages)?;
    let apt = |task: &[&str]| {
        let mut arguments = leading.clone();
        arguments.extend(["apt-get", "-o", "DPkg::Lock::Timeout=120"]);
        arguments.extend(task);
        process::run(program, &arguments)
    };
    apt(&["update"]).map_err(|error| by_hand(&error.to_string(), &packages))?;
    let mut task = vec!["install", "--yes", "--no-install-recommends"];
    task.extend(&packages);
    apt(&task).map_err(|error| by_hand(&error.to_string(), &packages))
}

/// The program and its first arguments that start `apt-get` with the rights to install.
fn administrator(packages: &[&str]) -> Result<(&'static str, Vec<&'static str>), TaskError> {
    // Through `env`, because sudo drops variables of its caller.
    let quiet = "DEBIAN_FRONTEND=noninteractive";
    if !process::answers("apt-get", &["--version"]) {
        return Err(by_hand("there is no apt-get", packages));
    }
    if is_root() {
        return Ok(("env", vec![quiet]));
    }
    if !process::answers("sudo", &["--version"]) {
        return Err(by_hand("this is not root and there is no sudo", packages));
    }
    // Without a terminal nobody can type a password: fail instead of waiting for one.
    if stdin().is_terminal() {
        Ok(("sudo", vec!["env", quiet]))
    } else {
        Ok(("sudo", vec!["--non-interactive", "env", quiet]))
    }
}

fn by_hand(why: &str, packages: &[&str]) -> TaskError {
    TaskError::Machine(format!(
        "cannot install packages: {why}. Install by hand what these Debian packages hold, then run \
         the task again: {}",
        packages.join(" ")
    ))
}

fn is_root() -> bool {
    process::command("id", &["-u"]).output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn has_compiler() -> bool {
    process::answers("cc", &["--version"])
}

/// A server named by the environment or listening on the default port is as good as binaries: the
/// tests try them in this order and say so themselves when one of them cannot be used.
fn has_postgres() -> bool {
    named_server() || has_binaries(Path::new("/usr/lib/postgresql")) || listens()
}

#[allow(clippy::disallowed_methods, reason = "a switch of the tests, not configuration of the server")]
fn named_server() -> bool {
    std::env::var_os("BOTHY_TEST_POSTGRES_URL").is_some()
}

/// Debian keeps each version in a folder of its own: `15/bin/initdb`.
fn has_binaries(versions: &Path) -> bool {
    let Ok(entries) = fs::read_dir(versions) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let version = entry.file_name().to_string_lossy().parse::<u32>();
        let binaries = entry.path().join("bin");
        version.is_ok_and(|version| version >= OLDEST_POSTGRES)
            && binaries.join("initdb").is_file()
            && binaries.join("postgres").is_file()
    })
}

fn listens() -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 5432));
    TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok()
}
