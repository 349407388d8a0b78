use std::io::{BufWriter, Write, stdout};
use std::path::Path;

use bothy_platform::audit::{Checkpoint, Report, Span, export, verify};
use bothy_storage::Database;

use super::Failure;
use super::arguments::{AuditCommand, Settings};
use super::output::{say, say_json};
use super::replay::read;
use crate::wiring::{StartError, open_to_read};

pub(super) async fn run(command: AuditCommand) -> Result<(), Failure> {
    match command {
        AuditCommand::Verify { settings, checkpoint, json } => {
            let kept = checkpoint.as_deref().map(read_checkpoint).transpose()?;
            let database = open(&settings).await?;
            let report = report(&database, kept.as_ref()).await;
            database.close().await;
            tell(&report?, json)
        }
        AuditCommand::Export(settings) => {
            let database = open(&settings).await?;
            let written = write(&database).await;
            database.close().await;
            written
        }
    }
}

async fn open(settings: &Settings) -> Result<Database, Failure> {
    Ok(open_to_read(&settings.load(Vec::new())?.config).await?)
}

async fn report(database: &Database, kept: Option<&Checkpoint>) -> Result<Report, StartError> {
    Ok(verify(&database.consistent_reader().await?, kept).await?)
}

fn tell(report: &Report, json: bool) -> Result<(), Failure> {
    if json {
        say_json(report)?;
    }
    if let Some(fault) = report.fault {
        let good = match report.verified {
            0 => String::new(),
            verified => format!("; the entries up to {verified} follow each other"),
        };
        return Err(Failure::Refused(format!("the audit log is not intact: {fault}{good}")));
    }
    if json {
        return Ok(());
    }
    let mut text = format!("the audit log is intact: {} entries", report.verified);
    text.push_str(&match report.unanchored {
        None => "\nall of them are covered by signed checkpoints".to_owned(),
        Some(Span { first, last }) => format!(
            "\nnot anchored: entries {first} to {last}; no checkpoint covers them, so whoever can write to the database \
             could have computed them anew"
        ),
    });
    if report.unsealed > 0 {
        text.push_str(&format!("\nnot sealed yet: {} entries", report.unsealed));
    }
    say(text)
}

/// Writes the log to standard output as it is read.
async fn write(database: &Database) -> Result<(), Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::Refused(error.to_string());
    let reader = database.consistent_reader().await.map_err(StartError::from)?;
    let mut out = BufWriter::new(stdout());
    export(&reader, &mut out).await.map_err(|error| refused(&error))?;
    out.flush().map_err(|error| refused(&format_args!("standard output cannot be written ({error})")))
}

fn read_checkpoint(path: &Path) -> Result<Checkpoint, Failure> {
    serde_json::from_str(&read(path)?).map_err(|error| {
        let path = path.display();
        Failure::Refused(format!(
            "{path} is no checkpoint ({error}): expected what GET /api/v1/audit/checkpoint answers"
        ))
    })
}
