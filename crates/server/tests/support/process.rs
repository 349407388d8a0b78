use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use bothy_testkit::{PATIENCE, TestDb};

/// The secret of all processes over one database.
pub const SECRET: &str = "the same secret for every process of a test";

/// The program, with nothing of this process's environment in its settings.
pub fn bothy(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bothy"));
    command.current_dir(folder).env_clear().stdin(Stdio::null());
    command
}

/// What a program that has ended said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs a command to its end with a text as its standard input.
pub fn run_with_input(command: &mut Command, input: &str) -> Said {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// A server in a process of its own; killed when it is dropped.
pub struct Serving {
    child: Child,
    /// What it has printed until it was ready.
    pub greeting: String,
}

impl Serving {
    /// Starts `bothy serve` with these arguments and waits until it has printed this text.
    pub fn start(command: &mut Command, until: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            drop(errors.read_to_string(&mut text));
            text
        });
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (tell, told) = mpsc::channel();
        // Reads on after the greeting too, so that the program never waits for somebody who takes
        // its output.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| drop(tell.send(line))));
        let mut serving = Self { child, greeting: String::new() };
        while !serving.greeting.contains(until) {
            match told.recv_timeout(PATIENCE) {
                Ok(line) => {
                    serving.greeting.push_str(&line);
                    serving.greeting.push('\n');
                }
                Err(error) => {
                    drop(serving.child.kill());
                    panic!("no {until:?} ({error}): {}{}", serving.greeting, errors.join().unwrap());
                }
            }
        }
        serving
    }

    /// Starts one of several processes over a database, with one secret for all and budgets that no test
    /// uses up.
    pub fn node(db: &TestDb, folder: &Path, settings: &[&str], until: &str) -> Self {
        let mut command = bothy(folder);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data", "data", "--database", &db.url()])
            .args(["--set", "log.level=warn"])
            .env("BOTHY_SERVER__SECRET", SECRET);
        for class in ["public_auth", "read", "write", "agent_runtime", "admin"] {
            command.args(["--set", &format!("rate.{class}=1000000"), "--set", &format!("rate.{class}_burst=100000")]);
        }
        for setting in settings {
            command.args(["--set", setting]);
        }
        Self::start(&mut command, until)
    }

    /// The setup code that it printed.
    pub fn setup_code(&self) -> String {
        let mut lines = self.greeting.lines().skip_while(|line| !line.contains("setup code"));
        lines.by_ref().skip(1).find(|line| !line.trim().is_empty()).expect("a setup code").trim().to_owned()
    }

    /// Where it listens, as it says.
    pub fn url(&self) -> String {
        let line = self.greeting.lines().find_map(|line| line.split_once(" listens on ")).unwrap();
        format!("http://{}", line.1)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end after a signal.
    pub fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
