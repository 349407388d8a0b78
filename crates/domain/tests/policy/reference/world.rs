use bothy_domain::action::Action;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::policy::Mode;
use bothy_domain::run::RunState;

/// `none` < `read` < `write` < `trigger` (glossary).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Nothing,
    Read,
    Write,
    Trigger,
}

/// Rights that are not ordered (glossary).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    pub upload: bool,
    pub moderate: bool,
    pub manage: bool,
}

impl Caps {
    pub const NONE: Self = Self { upload: false, moderate: false, manage: false };
    pub const ALL: Self = Self { upload: true, moderate: true, manage: true };
}

/// Everything that a decision may depend on, as rows. Things are named by their place in a list.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub principals: Vec<Principal>,
    /// The members of each group.
    pub groups: Vec<Vec<usize>>,
    pub grants: Vec<Grant>,
    /// Whether each space is archived. Operators of spaces and channels give no right, so they are
    /// not here.
    pub spaces: Vec<bool>,
    pub channels: Vec<Channel>,
    pub threads: Vec<Thread>,
    pub messages: Vec<Message>,
    pub runs: Vec<Run>,
    /// The time by the kernel clock, in microseconds.
    pub now: i64,
}

#[derive(Debug, Clone, Copy)]
pub struct Principal {
    pub kind: PrincipalKind,
    pub status: PrincipalStatus,
    pub owner: bool,
    /// An agent that may act only inside a run (AF-17).
    pub run_only: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Grant {
    pub to: To,
    pub on: On,
    pub level: Step,
    pub caps: Caps,
    pub expires_at: Option<i64>,
    pub revoked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    Principal(usize),
    Group(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    Instance,
    Space(usize),
    Channel(usize),
}

#[derive(Debug, Clone)]
pub struct Channel {
    pub home: Home,
    pub archived: bool,
}

#[derive(Debug, Clone)]
pub enum Home {
    Space(usize),
    /// A direct message, with its participants.
    Direct(Vec<usize>),
}

#[derive(Debug, Clone, Copy)]
pub struct Thread {
    pub channel: usize,
    pub author: usize,
    /// The operator that is fixed on the thread.
    pub operator: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub thread: usize,
    pub author: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub thread: usize,
    pub agent: usize,
    pub triggered_by: usize,
    pub state: RunState,
}

/// One question to a world.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    pub caller: usize,
    pub credential: Credential,
    pub header: Header,
    pub action: Action,
    pub target: Target,
    pub mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    Session,
    ConfirmedSession,
    PersonalToken,
    ApiToken,
}

/// What came in `Invocation-Token` (AF-3, AF-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Header {
    Absent,
    /// Empty, several values, or a token whose signature, type or issuer is wrong.
    Broken,
    /// A well signed token, whatever it claims. `run` may name a run that does not exist.
    Token {
        audience: usize,
        subject: usize,
        run: Option<usize>,
        thread: Option<usize>,
    },
}

impl Header {
    /// The token that the server makes for a run.
    pub fn of_run(world: &World, run: usize) -> Self {
        let row = world.runs[run];
        Self::Token { audience: row.agent, subject: row.triggered_by, run: Some(run), thread: Some(row.thread) }
    }
}

/// What the header means (AF-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acting {
    Alone,
    Invalid,
    RunInactive,
    Bound { person: usize, run: usize, thread: usize },
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An id that names nothing.
    Unknown,
    Instance,
    Own,
    Audit,
    Group(usize),
    /// A person, an agent or an app.
    Principal(usize),
    /// The login session of a person.
    LoginSession(usize),
    /// The personal token of a person.
    Token(usize),
    /// A grant on something.
    Grant(On),
    GrantsOn(On),
    Space(usize),
    Channel(usize),
    Thread(usize),
    Message(usize),
    Run(usize),
}
