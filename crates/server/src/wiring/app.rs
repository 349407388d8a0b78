use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::middleware::from_fn_with_state;
use bothy_platform::config::{Config, Secret};
use bothy_platform::serve::{Limits, Stopped, bind, serve};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::background::Background;
use super::modules::Modules;
use super::stopping::until_stop;
use super::{Ports, StartError};

/// A server that answers: one node. `bothy serve`, the demo and the tests start the same one.
///
/// Dropping it lets its listener end by itself; [`App::stop`] waits for requests under way.
#[allow(missing_debug_implementations)]
pub struct App {
    modules: Arc<Modules>,
    address: SocketAddr,
    setup_code: Option<Secret>,
    stop: watch::Sender<bool>,
    served: JoinHandle<Stopped>,
    background: Background,
}

impl App {
    /// Starts a server. It listens first, so that an occupied port changes nothing in a database.
    ///
    /// # Errors
    /// [`StartError`], which says in one line what is wrong and what to do.
    pub async fn start(mut config: Config, ports: Ports) -> Result<Self, StartError> {
        let listener = bind(&config.server).await?;
        let address = listener.local_addr().unwrap_or(config.server.listen);
        // Port 0 means any: from here on it is known which.
        config.server.listen = address;
        let limits = Limits::of(&config);
        let modules = Arc::new(Modules::open(config, &ports).await?);
        let setup_code = match modules.setup_code().await {
            Ok(code) => code,
            Err(error) => {
                modules.close().await;
                return Err(error);
            }
        };
        let (stop, mut stopping) = watch::channel(false);
        let background = Background::start(&modules, stopping.clone());
        let router = modules.router().layer(from_fn_with_state(stopping.clone(), until_stop));
        let served = tokio::spawn(async move {
            let told = async move {
                // Fails only when the app was dropped, which is a reason to stop as well.
                drop(stopping.wait_for(|stopping| *stopping).await);
            };
            serve(listener, router, limits, ports.clock, told).await
        });
        Ok(Self { modules, address, setup_code, stop, served, background })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address by which a program on this machine reaches it.
    pub fn local_url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// The one-time code for the first owner; none once there is an owner.
    pub fn setup_code(&self) -> Option<&str> {
        self.setup_code.as_ref().map(Secret::expose)
    }

    /// The features behind it.
    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    /// Accepts nothing more, lets requests end and says good-bye to open connections within
    /// `server.shutdown_grace`, ends the loops and closes the database.
    pub async fn stop(self) {
        let Self { modules, stop, served, background, .. } = self;
        stop.send_replace(true);
        let grace = modules.config.server.shutdown_grace.get();
        let (served, ()) = tokio::join!(served, modules.delivery.stop(grace));
        match served {
            Ok(Stopped { cut_off: 0 }) => {}
            Ok(Stopped { cut_off }) => tracing::warn!(cut_off, "requests were cut off: server.shutdown_grace was over"),
            Err(error) => tracing::error!(%error, "the listener ended early"),
        }
        background.stop().await;
        modules.close().await;
    }
}
