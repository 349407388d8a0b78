use crate::action::Action;
use crate::actor::PrincipalKind;
use crate::policy::{Capability, Level};

/// The kinds of thing that an action can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// The instance.
    Instance,
    /// The caller itself.
    Own,
    /// A person.
    Person,
    /// A group.
    Group,
    /// An agent.
    Agent,
    /// An app.
    App,
    /// A login session of a person.
    LoginSession,
    /// A personal token.
    Token,
    /// A grant.
    Grant,
    /// What a grant is given on: the instance, a space or a channel.
    GrantTarget,
    /// The audit log.
    Audit,
    /// A space.
    Space,
    /// A channel.
    Channel,
    /// A thread.
    Thread,
    /// A message.
    Message,
    /// A run.
    Run,
}

impl ResourceKind {
    /// The name in the audit log and in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Instance => "instance",
            Self::Own => "self",
            Self::Person => "person",
            Self::Group => "group",
            Self::Agent => "agent",
            Self::App => "app",
            Self::LoginSession => "session",
            Self::Token => "token",
            Self::Grant => "grant",
            Self::GrantTarget => "grant_target",
            Self::Audit => "audit",
            Self::Space => "space",
            Self::Channel => "channel",
            Self::Thread => "thread",
            Self::Message => "message",
            Self::Run => "run",
        }
    }

    /// The member of the path template that names the target, when the path names one.
    pub const fn path_parameter(self) -> Option<&'static str> {
        Some(match self {
            Self::Instance | Self::Own | Self::Audit => return None,
            Self::Person => "person_id",
            Self::Group => "group_id",
            Self::Agent => "agent_id",
            Self::App => "app_id",
            Self::LoginSession => "session_id",
            Self::Token => "token_id",
            Self::Grant => "grant_id",
            Self::GrantTarget => "target_id",
            Self::Space => "space_id",
            Self::Channel => "channel_id",
            Self::Thread => "thread_id",
            Self::Message => "message_id",
            Self::Run => "run_id",
        })
    }
}

/// To whom a resource may be reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// To nobody.
    Anybody,
    /// To its author.
    Author,
    /// To the agent of a run, or the agent that it is (`agent-self`).
    AgentSelf,
    /// To the person who triggered a run.
    TriggeringPerson,
}

impl Relation {
    /// The name in tables; empty for nobody.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anybody => "",
            Self::Author => "author",
            Self::AgentSelf => "agent-self",
            Self::TriggeringPerson => "triggering-person",
        }
    }
}

/// One way to meet a requirement: all of its parts must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Whom the target must be reserved to.
    pub relation: Relation,
    /// The least level on the target's path.
    pub level: Level,
    /// The capability on the target's path.
    pub capability: Option<Capability>,
}

/// Which kinds of principal may ever do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subjects(pub(super) &'static [PrincipalKind]);

impl Subjects {
    /// Whether this kind may.
    pub fn contains(self, kind: PrincipalKind) -> bool {
        self.0.contains(&kind)
    }

    /// The kinds, in the order of tables.
    pub const fn kinds(self) -> &'static [PrincipalKind] {
        self.0
    }
}

/// Rate-limit classes (chapter 04 section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RateClass {
    /// Login, setup and failed credentials.
    PublicAuth,
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// What the adapter of an agent does.
    AgentRuntime,
    /// Administration.
    Admin,
}

impl RateClass {
    /// The name in configuration and tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PublicAuth => "rl.public_auth",
            Self::Read => "rl.read",
            Self::Write => "rl.write",
            Self::AgentRuntime => "rl.agent_runtime",
            Self::Admin => "rl.admin",
        }
    }
}

/// How the acting-for binding treats an action (AF-13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BindingMode {
    /// Decided on the intersection.
    Bound,
    /// The agent's rights alone on its own thread and run, otherwise bound.
    OwnException,
    /// As without the header.
    Unbound,
}

impl BindingMode {
    /// The name in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::OwnException => "own-exception",
            Self::Unbound => "unbound",
        }
    }
}

/// One row of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The action.
    pub action: Action,
    /// Its name everywhere: code, audit log, docs.
    pub id: &'static str,
    /// What it is about.
    pub resource: ResourceKind,
    /// Who may ever do it.
    pub subjects: Subjects,
    /// The alternatives, any of which suffices.
    pub any_of: &'static [Needs],
    /// Whether only owners may.
    pub owner: bool,
    /// Whether only a login session counts.
    pub session: bool,
    /// Whether a fresh confirmation of the password is needed.
    pub step_up: bool,
    /// Whether an allow is audited; denials always are.
    pub audit: bool,
    /// Its rate-limit class.
    pub rate: RateClass,
    /// How the binding treats it.
    pub binding: BindingMode,
}

impl Row {
    /// Whether the action is about something in the channel tree, so that rights decide it.
    pub const fn in_tree(&self) -> bool {
        matches!(
            self.resource,
            ResourceKind::GrantTarget
                | ResourceKind::Grant
                | ResourceKind::Space
                | ResourceKind::Channel
                | ResourceKind::Thread
                | ResourceKind::Message
                | ResourceKind::Run
        )
    }
}

/// An action as a type, so that a handler's argument says what was allowed.
pub trait ActionType: Send + Sync + 'static {
    /// The action.
    const ACTION: Action;
}
