use super::Failure;
use super::arguments::AdminCommand;
use super::output::say;
use crate::wiring::{Modules, Ports};

pub(super) async fn run(command: AdminCommand) -> Result<(), Failure> {
    match command {
        AdminCommand::SetupCode(settings) => {
            let config = settings.load(Vec::new())?.config;
            let modules = Modules::open(config, &Ports::system()?).await?;
            let code = modules.setup_code().await;
            modules.close().await;
            match code? {
                Some(code) => say(code.expose()),
                None => Err(Failure::Refused(
                    "the instance has an owner already: sign in as an owner and invite people instead".to_owned(),
                )),
            }
        }
        AdminCommand::RotateKeys(settings) => {
            let config = settings.load(Vec::new())?.config;
            let modules = Modules::open(config, &Ports::system()?).await?;
            let kid = modules.rotate_keys().await;
            modules.close().await;
            say(&kid?)
        }
    }
}
