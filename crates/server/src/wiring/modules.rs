use std::sync::{Arc, OnceLock};

use axum::Router;
use bothy_agents::{Agents, AgentsDeps};
use bothy_authz::{Authz, PrincipalFacts, RightsChanged, TreeFacts};
use bothy_chat::{Chat, DirectAdmission};
use bothy_delivery::Delivery;
use bothy_domain::action::ResourceKind;
use bothy_identity::{ActingForSource, Identity};
use bothy_messaging::{MessageWritten, Messaging};
use bothy_platform::audit::{self, AuditLog, AuditSealer};
use bothy_platform::authorize::Locate;
use bothy_platform::config::{Config, Secret};
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::http::{
    HttpLimits, Idempotency, Locators, OpenApiInfo, OperationInfo, Operations, RateLimits, RouteTable, Services,
    openapi,
};
use bothy_platform::instance::{Instance, SetupError};
use bothy_platform::keys::{InstanceSecret, KeyPurpose, KeyRing};
use bothy_platform::paging::PageLimits;
use bothy_runs::{Runs, RunsDeps};
use bothy_storage::{Database, Migrate, OpenOptions};
use serde_json::Value;

use super::{Ports, StartError, probes};

const OPENAPI: OpenApiInfo = OpenApiInfo {
    version: env!("CARGO_PKG_VERSION"),
    description: "Self-hosted team chat in which AI agents are members beside people. Problems are `application/problem+json` \
                  with a code from `info.x-problem-codes`. What a caller may not see and what does not exist are answered \
                  alike. Members that do not apply are left out; none is ever null.",
};

/// The features of a server, connected to each other, over one database.
#[allow(missing_debug_implementations)]
pub struct Modules {
    /// The settings.
    pub config: Arc<Config>,
    /// The database.
    pub database: Database,
    /// The instance that the database holds.
    pub instance: Instance,
    /// The event log.
    pub events: EventLog,
    /// The audit log.
    pub audit: AuditLog,
    /// Decisions.
    pub authz: Arc<Authz>,
    /// Who is calling.
    pub identity: Arc<Identity>,
    /// Where things are said.
    pub chat: Arc<Chat>,
    /// What is said.
    pub messaging: Arc<Messaging>,
    /// Who answers.
    pub agents: Arc<Agents>,
    /// The work.
    pub runs: Arc<Runs>,
    /// What reaches clients.
    pub delivery: Arc<Delivery>,
    /// The operations that connections call; made with the router.
    operations: OnceLock<Arc<Operations>>,
    ports: Ports,
    ids: IdSource,
    secret: InstanceSecret,
    keys: KeyRing,
    sealer: AuditSealer,
}

impl Modules {
    /// Opens the database and builds the features on it.
    ///
    /// # Errors
    /// [`StartError`], which says in one line what is wrong and what to do.
    pub async fn open(config: Config, ports: &Ports) -> Result<Self, StartError> {
        let database = Database::open(&config.open_options()?).await?;
        match Self::on(database.clone(), config, ports.clone()).await {
            Ok(modules) => Ok(modules),
            Err(error) => {
                database.close().await;
                Err(error)
            }
        }
    }

    async fn on(database: Database, config: Config, ports: Ports) -> Result<Self, StartError> {
        let Ports { clock, entropy } = ports.clone();
        let config = Arc::new(config);
        let pages = PageLimits::from(&*config);
        let ids = IdSource::new(Arc::clone(&clock), Arc::clone(&entropy));
        let secret = InstanceSecret::load_or_create(&config.server, &*entropy)?;
        let instance = Instance::open(&database, Arc::clone(&clock), Arc::clone(&entropy), &ids, &secret).await?;
        let keys = KeyRing::open(database.clone(), Arc::clone(&clock), Arc::clone(&entropy), &secret)
            .await
            .map_err(StartError::Keys)?;
        let audit =
            AuditLog::new(Arc::clone(&clock), ids.clone()).with_deny_window(config.audit.deny_aggregate_window.get());
        let sealer = AuditSealer::new(audit.clone(), keys.clone());
        let events = EventLog::open(database.clone(), Arc::clone(&clock)).await?;
        let authz = Arc::new(Authz::new(bothy_authz::Parts {
            database: database.clone(),
            audit: audit.clone(),
            events: events.clone(),
            clock: Arc::clone(&clock),
            ids: ids.clone(),
            config: Arc::clone(&config),
        }));
        let identity = Arc::new(Identity::new(bothy_identity::Parts {
            database: database.clone(),
            authz: Arc::clone(&authz),
            instance: instance.clone(),
            audit: audit.clone(),
            events: events.clone(),
            clock: Arc::clone(&clock),
            ids: ids.clone(),
            entropy: Arc::clone(&entropy),
            config: Arc::clone(&config),
        }));
        let chat = Arc::new(Chat::new(bothy_chat::Parts {
            database: database.clone(),
            instance: instance.id(),
            clock: Arc::clone(&clock),
            ids: ids.clone(),
            config: Arc::clone(&config),
            audit: audit.clone(),
            events: events.clone(),
            authz: Arc::clone(&authz),
            identity: Arc::clone(&identity),
        }));
        let messaging = Arc::new(Messaging::new(bothy_messaging::Parts {
            database: database.clone(),
            clock: Arc::clone(&clock),
            ids: ids.clone(),
            config: Arc::clone(&config),
            audit: audit.clone(),
            events: events.clone(),
            authz: Arc::clone(&authz),
            identity: Arc::clone(&identity),
            chat: Arc::clone(&chat),
        }));
        let agents = Agents::new(AgentsDeps {
            database: database.clone(),
            identity: Arc::clone(&identity),
            audit: audit.clone(),
            events: events.clone(),
            clock: Arc::clone(&clock),
            ids: ids.clone(),
            pages,
            commands_max: config.agent.max_commands.to_usize(),
        });
        let runs = Runs::new(RunsDeps {
            database: database.clone(),
            identity: Arc::clone(&identity),
            authz: Arc::clone(&authz),
            chat: Arc::clone(&chat),
            messaging: Arc::clone(&messaging),
            agents: Arc::clone(&agents),
            audit: audit.clone(),
            events: events.clone(),
            keys: keys.clone(),
            instance: instance.id(),
            clock: Arc::clone(&clock),
            ids: ids.clone(),
            settings: (&*config).into(),
        });
        let delivery = Delivery::open(bothy_delivery::Parts {
            database: database.clone(),
            clock,
            ids: ids.clone(),
            config: Arc::clone(&config),
            events: events.clone(),
            authz: Arc::clone(&authz),
            identity: Arc::clone(&identity),
            chat: Arc::clone(&chat),
            messaging: Arc::clone(&messaging),
            runs: Arc::clone(&runs),
        })
        .await?;
        let modules = Self {
            config,
            database,
            instance,
            events,
            audit,
            authz,
            identity,
            chat,
            messaging,
            agents,
            runs,
            delivery,
            operations: OnceLock::new(),
            ports,
            ids,
            secret,
            keys,
            sealer,
        };
        modules.connect();
        Ok(modules)
    }

    /// Gives the lower crates what they need of the higher ones.
    fn connect(&self) {
        let principals: Arc<dyn PrincipalFacts> = self.identity.clone();
        let tree: Arc<dyn TreeFacts> = self.chat.clone();
        let rights_changed: Arc<dyn RightsChanged> = self.runs.clone();
        let acting_for: Arc<dyn ActingForSource> = self.runs.clone();
        self.authz.set_principal_facts(&principals);
        self.authz.set_tree_facts(&tree);
        self.authz.set_rights_changed(&rights_changed);
        self.identity.set_acting_for_source(&acting_for);
        let direct_admission: Arc<dyn DirectAdmission> = self.runs.clone();
        self.chat.set_direct_admission(&direct_admission);
        let message_written: Arc<dyn MessageWritten> = self.runs.clone();
        self.messaging.set_message_written(&message_written);
    }

    fn table(&self) -> RouteTable {
        self.identity
            .routes()
            .and(self.authz.routes())
            .and(self.chat.routes())
            .and(self.messaging.routes())
            .and(self.agents.routes())
            .and(self.runs.routes())
            .and(self.delivery.routes())
            .and(audit::routes(self.database.clone()))
    }

    fn locators(&self) -> Locators {
        use ResourceKind as Kind;
        let identity: Arc<dyn Locate> = self.identity.clone();
        let chat: Arc<dyn Locate> = self.chat.clone();
        Locators::default()
            .with(&[Kind::Person, Kind::Group, Kind::LoginSession, Kind::Token], identity)
            .with(&[Kind::Grant], self.authz.clone())
            .with(&[Kind::Instance, Kind::Space, Kind::Channel, Kind::Thread], chat)
            .with(&[Kind::Message], self.messaging.clone())
            .with(&[Kind::Agent, Kind::App], self.agents.clone())
            .with(&[Kind::Run], self.runs.clone())
    }

    /// Everything that is served: the API with its description, and the probes.
    pub fn router(&self) -> Router {
        let http = &self.config.http;
        let services = Services {
            database: self.database.clone(),
            authenticator: self.identity.clone(),
            authorizer: self.authz.clone(),
            locators: self.locators(),
            audit: self.audit.clone(),
            clock: Arc::clone(&self.ports.clock),
            ids: self.ids.clone(),
            rates: RateLimits::new(&self.config, Arc::clone(&self.ports.clock)),
            idempotency: Idempotency::new(&self.config, &self.secret, Arc::clone(&self.ports.entropy)),
            watch: self.runs.clone(),
            limits: HttpLimits {
                max_body_bytes: http.max_body_bytes.get(),
                max_url_bytes: http.max_url_bytes.to_usize(),
                body_timeout: http.body_timeout.get(),
                request_timeout: http.request_timeout.get(),
            },
        };
        let described = self.openapi();
        let api = self.table().into_router(Arc::new(services));
        let operations = self.operations.get_or_init(|| Arc::new(Operations::new(api.clone())));
        self.delivery.set_operations(operations);
        api.merge(probes::router(self.database.clone(), &described))
    }

    /// The OpenAPI description of the API.
    pub fn openapi(&self) -> Value {
        openapi(&self.table(), &OPENAPI)
    }

    /// The declarations of all operations, for tables and tests.
    pub fn operations(&self) -> Vec<OperationInfo> {
        self.table().operations().cloned().collect()
    }

    /// A new one-time code for the first owner, while there is none.
    ///
    /// # Errors
    /// [`StartError::Storage`].
    pub async fn setup_code(&self) -> Result<Option<Secret>, StartError> {
        match self.instance.issue_setup_code(&self.database, self.config.auth.setup_code_ttl.get()).await {
            Ok(code) => Ok(Some(code)),
            Err(SetupError::AlreadySetUp) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a new key that signs invocation tokens, and retires the one before, which still verifies
    /// (chapter 06 section 5). Returns its id.
    ///
    /// # Errors
    /// [`StartError::Keys`]; nothing has changed then.
    pub async fn rotate_keys(&self) -> Result<String, StartError> {
        self.keys.rotate(KeyPurpose::Invocation).await.map_err(StartError::Keys)
    }

    pub(super) const fn ports(&self) -> &Ports {
        &self.ports
    }

    pub(super) const fn sealer(&self) -> &AuditSealer {
        &self.sealer
    }

    /// Lets work under way end and closes the database.
    pub async fn close(&self) {
        self.database.close().await;
    }
}

/// Opens the configured database for commands that only read it: it is not migrated.
///
/// # Errors
/// [`StartError`].
pub async fn open_to_read(config: &Config) -> Result<Database, StartError> {
    Ok(Database::open(&OpenOptions { migrate: Migrate::Check, ..config.open_options()? }).await?)
}
