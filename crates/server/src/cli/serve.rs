use std::path::Path;

use bothy_platform::config::{Environment, Flag};
use bothy_platform::telemetry;
use bothy_sdk::Client;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::Failure;
use super::arguments::Serve;
use super::output::say;
use crate::demo;
use crate::wiring::scratch::Folder;
use crate::wiring::{App, Ports, StartError};
use crate::world::World;

pub(super) async fn run(arguments: Serve) -> Result<(), Failure> {
    let ports = Ports::system()?;
    let settings = &arguments.settings;
    // What the demo makes is gone with it, unless somebody said where it is to stay.
    let scratch = (arguments.demo && settings.data.is_none()).then(|| Folder::new(&ports)).transpose()?;
    let further = scratch.as_ref().map(|folder| Flag::Named {
        flag: "--demo",
        key: "server.data_folder",
        value: folder.path().display().to_string(),
    });
    let config = settings.load(further.into_iter().collect())?.config;
    let colour = !Environment::process()?.no_color();
    telemetry::start(&config.log, colour).map_err(|error| Failure::Refused(error.to_string()))?;
    let folder = config.server.data_folder.clone();
    if arguments.demo && !is_empty(&folder) {
        return Err(StartError::NotEmpty(folder.display().to_string()).into());
    }
    // Before anything is started, so that no signal is missed.
    let stop = stop_signal()?;
    let valid = config.auth.setup_code_ttl;
    let public = config.server.public_url.clone();
    let app = App::start(config, ports.clone()).await?;
    let server = public.map_or_else(|| app.local_url(), |url| url.to_string());
    say(format!("Bothy {} listens on {}", env!("CARGO_PKG_VERSION"), app.address()))?;
    say(format!("Data folder: {}", std::path::absolute(&folder).unwrap_or(folder).display()))?;
    if arguments.demo {
        let world = prepare(&app, &ports).await?;
        say(demo::greeting(&world, &server))?;
        attend(&world, stop).await?;
    } else {
        if let Some(code) = app.setup_code() {
            say(setup_hint(&server, code, &valid.to_string()))?;
        }
        wait(stop).await;
    }
    app.stop().await;
    drop(scratch);
    Ok(())
}

async fn prepare(app: &App, ports: &Ports) -> Result<World, StartError> {
    let Some(code) = app.setup_code() else {
        return Err(StartError::NotEmpty("the database".to_owned()));
    };
    demo::fill(app, code, &ports.entropy).await.map_err(StartError::Demo)
}

/// Answers for the demo's agents until the server is told to stop.
async fn attend(world: &World, stop: watch::Receiver<bool>) -> Result<(), Failure> {
    let agent = |client: &Client| demo::echo(client.clone(), wait(stop.clone()));
    tokio::try_join!(agent(&world.lotse.client), agent(&world.texter.client))?;
    Ok(())
}

fn setup_hint(server: &str, code: &str, valid: &str) -> String {
    format!(
        "\nThis instance has no owner yet. One-time setup code, valid for {valid}:\n\n  {code}\n\n\
         curl {server}/api/v1/setup -H 'Content-Type: application/json' -d '{{\"setup_code\":\"{code}\",\
         \"handle\":\"robin\",\"display_name\":\"Robin\",\"email\":\"robin@example.com\",\"password\":\"...\"}}'\n\n\
         `bothy admin setup-code` makes another.\n"
    )
}

/// Whether there is nothing in a folder, or no folder.
fn is_empty(folder: &Path) -> bool {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        // What is wrong with it is told better by whoever tries to use it.
        Err(_) => true,
    }
}

/// Becomes true with SIGINT or SIGTERM.
fn stop_signal() -> Result<watch::Receiver<bool>, Failure> {
    let failed = |error| Failure::Refused(format!("signals cannot be received ({error})"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let (told, stop) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        told.send_replace(true);
        // Kept, so that a receiver never sees the channel close before the signal.
        std::future::pending::<()>().await;
        drop(told);
    });
    Ok(stop)
}

async fn wait(mut stop: watch::Receiver<bool>) {
    // Fails only when the sender is gone, which is a reason to stop as well.
    drop(stop.wait_for(|told| *told).await);
}
