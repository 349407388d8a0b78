use bothy_platform::config;

use super::Failure;
use super::arguments::ConfigCommand;
use super::output::{say, say_json};

pub(super) fn run(command: ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Check(settings) => {
            settings.load(Vec::new())?;
            say("the configuration is right")
        }
        ConfigCommand::Example => say(config::example()),
        ConfigCommand::Schema => say_json(&config::schema()),
        ConfigCommand::Show { settings, json } => {
            let loaded = settings.load(Vec::new())?;
            if json { say_json(&loaded.shown()) } else { say(loaded.show()) }
        }
        ConfigCommand::Reference => say(config::reference()),
    }
}
