use crate::action::{ActionType, BindingMode, Needs, RateClass, Relation, ResourceKind, Row, Subjects};
use crate::actor::PrincipalKind::{Agent, App, Person};
use crate::policy::{Capability, Level};

macro_rules! catalogue {
    ($($(#[$doc:meta])* $name:ident = $row:expr;)*) => {
        /// Everything that can be asked for. The names are those of the audit log.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action { $($(#[$doc])* $name,)* }

        impl Action {
            /// Every action, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The row of the catalogue. Total, because the table is closed.
            pub const fn row(self) -> &'static Row {
                match self { $(Self::$name => { const ROW: Row = $row; &ROW })* }
            }
        }

        /// The actions as types.
        pub mod actions {
            use super::{Action, ActionType};
            $($(#[$doc])* #[derive(Debug, Clone, Copy)] pub struct $name;
            impl ActionType for $name { const ACTION: Action = Action::$name; })*
        }
    };
}

impl Action {
    /// The name in code, audit log and docs.
    pub const fn as_str(self) -> &'static str {
        self.row().id
    }
}

/// The rows in order, for tables and tests.
pub static CATALOGUE: CatalogueTable = CatalogueTable;

/// The catalogue as a table.
#[derive(Debug, Clone, Copy)]
pub struct CatalogueTable;

impl CatalogueTable {
    /// The rows in order.
    pub fn rows(self) -> impl Iterator<Item = &'static Row> {
        Action::ALL.iter().map(|action| action.row())
    }
}

const fn row(
    action: Action,
    id: &'static str,
    resource: ResourceKind,
    subjects: &'static [crate::actor::PrincipalKind],
    any_of: &'static [Needs],
) -> Row {
    Row {
        action,
        id,
        resource,
        subjects: Subjects(subjects),
        any_of,
        owner: false,
        session: false,
        step_up: false,
        audit: false,
        rate: RateClass::Read,
        binding: BindingMode::Bound,
    }
}

impl Row {
    const fn owner(mut self) -> Self {
        self.owner = true;
        self.session = true;
        self
    }
    const fn session(mut self) -> Self {
        self.session = true;
        self
    }
    const fn step_up(mut self) -> Self {
        self.step_up = true;
        self
    }
    const fn audited(mut self) -> Self {
        self.audit = true;
        self
    }
    const fn rate(mut self, rate: RateClass) -> Self {
        self.rate = rate;
        self
    }
    const fn binding(mut self, binding: BindingMode) -> Self {
        self.binding = binding;
        self
    }
}

const FREE: &[Needs] = &[needs(Relation::Anybody, Level::None, None)];
const READ: &[Needs] = &[needs(Relation::Anybody, Level::Read, None)];
const WRITE: &[Needs] = &[needs(Relation::Anybody, Level::Write, None)];
const TRIGGER: &[Needs] = &[needs(Relation::Anybody, Level::Trigger, None)];
const MANAGE: &[Needs] = &[needs(Relation::Anybody, Level::None, Some(Capability::Manage))];
const MODERATE: &[Needs] = &[needs(Relation::Anybody, Level::Read, Some(Capability::Moderate))];
const AUTHOR: &[Needs] = &[needs(Relation::Author, Level::Write, None)];
const AUTHOR_OR_MODERATE: &[Needs] =
    &[needs(Relation::Author, Level::Write, None), needs(Relation::Anybody, Level::Read, Some(Capability::Moderate))];
const TRIGGERING_OR_MODERATE: &[Needs] = &[
    needs(Relation::TriggeringPerson, Level::Read, None),
    needs(Relation::Anybody, Level::Read, Some(Capability::Moderate)),
];
const IMPORT: &[Needs] = &[needs(Relation::Anybody, Level::Write, Some(Capability::Manage))];
const AGENT_SELF: &[Needs] = &[needs(Relation::AgentSelf, Level::None, None)];
const OWN_RUN: &[Needs] = &[needs(Relation::AgentSelf, Level::Read, None)];

const fn needs(relation: Relation, level: Level, capability: Option<Capability>) -> Needs {
    Needs { relation, level, capability }
}

catalogue! {
    /// `instance.read`: Reads the public part of the instance.
    InstanceRead = row(Action::InstanceRead, "instance.read", ResourceKind::Instance, &[Person, Agent, App], FREE);
    /// `self.read`: Reads oneself.
    SelfRead = row(Action::SelfRead, "self.read", ResourceKind::Own, &[Person, Agent, App], FREE);
    /// `self.update`: Changes one's own name or password, or confirms a session.
    SelfUpdate = row(Action::SelfUpdate, "self.update", ResourceKind::Own, &[Person], FREE).session().audited().rate(RateClass::Write);
    /// `person.read`: Reads people.
    PersonRead = row(Action::PersonRead, "person.read", ResourceKind::Person, &[Person, Agent, App], FREE);
    /// `person.invite`: Invites a person.
    PersonInvite = row(Action::PersonInvite, "person.invite", ResourceKind::Own, &[Person], FREE).owner().audited().rate(RateClass::Admin);
    /// `person.update`: Changes the account of a person.
    PersonUpdate = row(Action::PersonUpdate, "person.update", ResourceKind::Person, &[Person], FREE).owner().audited().rate(RateClass::Admin);
    /// `person.disable`: Shuts a person out, or lets them in again.
    PersonDisable = row(Action::PersonDisable, "person.disable", ResourceKind::Person, &[Person], FREE).owner().step_up().audited().rate(RateClass::Admin);
    /// `owner.add`: Makes a person an owner.
    OwnerAdd = row(Action::OwnerAdd, "owner.add", ResourceKind::Person, &[Person], FREE).owner().step_up().audited().rate(RateClass::Admin);
    /// `owner.remove`: Takes ownership from a person.
    OwnerRemove = row(Action::OwnerRemove, "owner.remove", ResourceKind::Person, &[Person], FREE).owner().step_up().audited().rate(RateClass::Admin);
    /// `group.read`: Reads groups and their members.
    GroupRead = row(Action::GroupRead, "group.read", ResourceKind::Group, &[Person], FREE);
    /// `group.manage`: Makes, changes and deletes groups.
    GroupManage = row(Action::GroupManage, "group.manage", ResourceKind::Group, &[Person], FREE).owner().audited().rate(RateClass::Admin);
    /// `token.create`: Makes a personal token.
    TokenCreate = row(Action::TokenCreate, "token.create", ResourceKind::Own, &[Person], FREE).session().step_up().audited().rate(RateClass::Admin);
    /// `token.read`: Lists one's personal tokens.
    TokenRead = row(Action::TokenRead, "token.read", ResourceKind::Own, &[Person], FREE).session();
    /// `token.revoke`: Revokes a personal token of one's own.
    TokenRevoke = row(Action::TokenRevoke, "token.revoke", ResourceKind::Token, &[Person], FREE).session().audited().rate(RateClass::Admin);
    /// `session.read`: Lists one's login sessions.
    SessionRead = row(Action::SessionRead, "session.read", ResourceKind::Own, &[Person], FREE).session();
    /// `session.revoke`: Ends a login session of one's own.
    SessionRevoke = row(Action::SessionRevoke, "session.revoke", ResourceKind::LoginSession, &[Person], FREE).session().audited().rate(RateClass::Write);
    /// `audit.read`: Reads the audit log.
    AuditRead = row(Action::AuditRead, "audit.read", ResourceKind::Audit, &[Person], FREE).owner();
    /// `grant.create`: Gives rights on a target.
    GrantCreate = row(Action::GrantCreate, "grant.create", ResourceKind::GrantTarget, &[Person], MANAGE).session().audited().rate(RateClass::Admin);
    /// `grant.preview`: Reads whose rights a grant would change, without giving it.
    GrantPreview = row(Action::GrantPreview, "grant.preview", ResourceKind::GrantTarget, &[Person], MANAGE).session().rate(RateClass::Admin);
    /// `grant.read`: Lists the grants on a target.
    GrantRead = row(Action::GrantRead, "grant.read", ResourceKind::GrantTarget, &[Person], MANAGE);
    /// `grant.revoke`: Takes a grant back.
    GrantRevoke = row(Action::GrantRevoke, "grant.revoke", ResourceKind::Grant, &[Person], MANAGE).session().audited().rate(RateClass::Admin);
    /// `access.explain`: Reads who has access and why.
    AccessExplain = row(Action::AccessExplain, "access.explain", ResourceKind::Channel, &[Person], MANAGE);
    /// `space.access.explain`: Reads who has access to a space and why.
    SpaceAccessExplain = row(Action::SpaceAccessExplain, "space.access.explain", ResourceKind::Space, &[Person], MANAGE);
    /// `space.create`: Makes a space.
    SpaceCreate = row(Action::SpaceCreate, "space.create", ResourceKind::Instance, &[Person], MANAGE).audited().rate(RateClass::Admin);
    /// `space.read`: Reads a space.
    SpaceRead = row(Action::SpaceRead, "space.read", ResourceKind::Space, &[Person, Agent, App], FREE);
    /// `space.update`: Changes a space.
    SpaceUpdate = row(Action::SpaceUpdate, "space.update", ResourceKind::Space, &[Person], MANAGE).audited().rate(RateClass::Admin);
    /// `space.archive`: Archives a space, or brings it back.
    SpaceArchive = row(Action::SpaceArchive, "space.archive", ResourceKind::Space, &[Person], MANAGE).audited().rate(RateClass::Admin);
    /// `space.operator.set`: Sets the operator of a space.
    SpaceOperatorSet = row(Action::SpaceOperatorSet, "space.operator.set", ResourceKind::Space, &[Person], MANAGE).session().audited().rate(RateClass::Admin);
    /// `channel.create`: Makes a channel.
    ChannelCreate = row(Action::ChannelCreate, "channel.create", ResourceKind::Space, &[Person], MANAGE).audited().rate(RateClass::Admin);
    /// `channel.read`: Reads a channel.
    ChannelRead = row(Action::ChannelRead, "channel.read", ResourceKind::Channel, &[Person, Agent, App], READ);
    /// `channel.update`: Changes a channel and its switches for agents.
    ChannelUpdate = row(Action::ChannelUpdate, "channel.update", ResourceKind::Channel, &[Person], MANAGE).audited().rate(RateClass::Admin);
    /// `channel.agent_config.read`: Reads the switches of a channel for agents.
    ChannelAgentConfigRead = row(Action::ChannelAgentConfigRead, "channel.agent_config.read", ResourceKind::Channel, &[Person], MANAGE);
    /// `channel.archive`: Archives a channel, or brings it back.
    ChannelArchive = row(Action::ChannelArchive, "channel.archive", ResourceKind::Channel, &[Person], MANAGE).audited().rate(RateClass::Admin);
    /// `channel.operator.set`: Sets the operator of a channel.
    ChannelOperatorSet = row(Action::ChannelOperatorSet, "channel.operator.set", ResourceKind::Channel, &[Person], MANAGE).session().audited().rate(RateClass::Admin);
    /// `dm.open`: Opens a direct message.
    DmOpen = row(Action::DmOpen, "dm.open", ResourceKind::Own, &[Person, Agent], FREE).rate(RateClass::Write);
    /// `thread.create`: Opens a thread or a post.
    ThreadCreate = row(Action::ThreadCreate, "thread.create", ResourceKind::Channel, &[Person, Agent], WRITE).rate(RateClass::Write);
    /// `thread.read`: Reads a thread.
    ThreadRead = row(Action::ThreadRead, "thread.read", ResourceKind::Thread, &[Person, Agent, App], READ);
    /// `thread.update`: Changes the title of a thread.
    ThreadUpdate = row(Action::ThreadUpdate, "thread.update", ResourceKind::Thread, &[Person, Agent], AUTHOR_OR_MODERATE).rate(RateClass::Write);
    /// `thread.close`: Closes a thread.
    ThreadClose = row(Action::ThreadClose, "thread.close", ResourceKind::Thread, &[Person], AUTHOR_OR_MODERATE).rate(RateClass::Write);
    /// `thread.reopen`: Opens a closed thread again.
    ThreadReopen = row(Action::ThreadReopen, "thread.reopen", ResourceKind::Thread, &[Person], MODERATE).rate(RateClass::Write);
    /// `thread.move`: Moves a thread to another channel.
    ThreadMove = row(Action::ThreadMove, "thread.move", ResourceKind::Thread, &[Person], MODERATE).audited().rate(RateClass::Write);
    /// `thread.operator.set`: Fixes the operator of a thread.
    ThreadOperatorSet = row(Action::ThreadOperatorSet, "thread.operator.set", ResourceKind::Thread, &[Person], MANAGE).session().audited().rate(RateClass::Admin);
    /// `message.create`: Posts a message.
    MessageCreate = row(Action::MessageCreate, "message.create", ResourceKind::Thread, &[Person, Agent, App], WRITE).rate(RateClass::Write).binding(BindingMode::OwnException);
    /// `message.read`: Reads a message.
    MessageRead = row(Action::MessageRead, "message.read", ResourceKind::Message, &[Person, Agent, App], READ);
    /// `message.update`: Edits a message of one's own.
    MessageUpdate = row(Action::MessageUpdate, "message.update", ResourceKind::Message, &[Person, Agent, App], AUTHOR).rate(RateClass::Write);
    /// `message.delete`: Deletes a message.
    MessageDelete = row(Action::MessageDelete, "message.delete", ResourceKind::Message, &[Person, Agent, App], AUTHOR_OR_MODERATE).rate(RateClass::Write);
    /// `message.revisions.read`: Reads earlier wordings of a message.
    MessageRevisionsRead = row(Action::MessageRevisionsRead, "message.revisions.read", ResourceKind::Message, &[Person, Agent, App], READ);
    /// `message.import`: Imports messages with origin import.
    MessageImport = row(Action::MessageImport, "message.import", ResourceKind::Channel, &[Person], IMPORT).session().audited().rate(RateClass::Admin);
    /// `reaction.add`: Adds a reaction.
    ReactionAdd = row(Action::ReactionAdd, "reaction.add", ResourceKind::Message, &[Person, Agent], WRITE).rate(RateClass::Write);
    /// `reaction.remove`: Takes a reaction of one's own away.
    ReactionRemove = row(Action::ReactionRemove, "reaction.remove", ResourceKind::Message, &[Person, Agent], WRITE).rate(RateClass::Write);
    /// `read_state.set`: Marks a thread as read.
    ReadStateSet = row(Action::ReadStateSet, "read_state.set", ResourceKind::Thread, &[Person], READ).rate(RateClass::Write);
    /// `agent.create`: Makes an agent.
    AgentCreate = row(Action::AgentCreate, "agent.create", ResourceKind::Own, &[Person], FREE).owner().audited().rate(RateClass::Admin);
    /// `agent.read`: Reads agents.
    AgentRead = row(Action::AgentRead, "agent.read", ResourceKind::Agent, &[Person, Agent, App], FREE);
    /// `agent.update`: Changes an agent.
    AgentUpdate = row(Action::AgentUpdate, "agent.update", ResourceKind::Agent, &[Person], FREE).owner().audited().rate(RateClass::Admin);
    /// `agent.disable`: Shuts an agent out, or lets it in again.
    AgentDisable = row(Action::AgentDisable, "agent.disable", ResourceKind::Agent, &[Person], FREE).owner().step_up().audited().rate(RateClass::Admin);
    /// `agent.token.issue`: Makes, lists and revokes tokens of an agent.
    AgentTokenIssue = row(Action::AgentTokenIssue, "agent.token.issue", ResourceKind::Agent, &[Person], FREE).owner().step_up().audited().rate(RateClass::Admin);
    /// `agent.token.read`: Lists the tokens of an agent.
    AgentTokenRead = row(Action::AgentTokenRead, "agent.token.read", ResourceKind::Agent, &[Person], FREE).owner();
    /// `agent.config.read`: Reads the prompt and skills of a channel.
    AgentConfigRead = row(Action::AgentConfigRead, "agent.config.read", ResourceKind::Channel, &[Agent], READ).rate(RateClass::AgentRuntime);
    /// `agent.triggerers.read`: Lists who may instruct the agent.
    AgentTriggerersRead = row(Action::AgentTriggerersRead, "agent.triggerers.read", ResourceKind::Agent, &[Person, Agent], AGENT_SELF).rate(RateClass::AgentRuntime);
    /// `agent.commands.declare`: Says which commands the agent offers.
    AgentCommandsDeclare = row(Action::AgentCommandsDeclare, "agent.commands.declare", ResourceKind::Agent, &[Agent], AGENT_SELF).rate(RateClass::AgentRuntime);
    /// `command.run`: Runs a command of an agent in a thread; `agent.invoke` is judged as well.
    CommandRun = row(Action::CommandRun, "command.run", ResourceKind::Thread, &[Person], WRITE).rate(RateClass::Write);
    /// `agent.invoke`: Instructs an agent in a channel.
    AgentInvoke = row(Action::AgentInvoke, "agent.invoke", ResourceKind::Channel, &[Person], TRIGGER).rate(RateClass::Write);
    /// `agent.events.consume`: Polls and acknowledges the agent's events.
    AgentEventsConsume = row(Action::AgentEventsConsume, "agent.events.consume", ResourceKind::Own, &[Agent], FREE).rate(RateClass::AgentRuntime);
    /// `agent.heartbeat`: Says that the adapter is alive.
    AgentHeartbeat = row(Action::AgentHeartbeat, "agent.heartbeat", ResourceKind::Own, &[Agent], FREE).rate(RateClass::AgentRuntime);
    /// `agent_session.report`: Reports the runtime's reference of a session.
    AgentSessionReport = row(Action::AgentSessionReport, "agent_session.report", ResourceKind::Run, &[Agent], OWN_RUN).rate(RateClass::AgentRuntime).binding(BindingMode::OwnException);
    /// `agent_session.reset`: Starts the agent's memory in a thread afresh.
    AgentSessionReset = row(Action::AgentSessionReset, "agent_session.reset", ResourceKind::Thread, &[Person], TRIGGER).audited().rate(RateClass::Write);
    /// `agent_session.bind`: Attaches a session that exists in the runtime.
    AgentSessionBind = row(Action::AgentSessionBind, "agent_session.bind", ResourceKind::Thread, &[Person], TRIGGER).audited().rate(RateClass::Write);
    /// `app.create`: Makes an app.
    AppCreate = row(Action::AppCreate, "app.create", ResourceKind::Own, &[Person], FREE).owner().audited().rate(RateClass::Admin);
    /// `app.read`: Reads apps.
    AppRead = row(Action::AppRead, "app.read", ResourceKind::App, &[Person, Agent, App], FREE);
    /// `app.disable`: Shuts an app out, or lets it in again.
    AppDisable = row(Action::AppDisable, "app.disable", ResourceKind::App, &[Person], FREE).owner().step_up().audited().rate(RateClass::Admin);
    /// `app.token.issue`: Makes and revokes tokens of an app.
    AppTokenIssue = row(Action::AppTokenIssue, "app.token.issue", ResourceKind::App, &[Person], FREE).owner().step_up().audited().rate(RateClass::Admin);
    /// `app.token.read`: Lists the tokens of an app.
    AppTokenRead = row(Action::AppTokenRead, "app.token.read", ResourceKind::App, &[Person], FREE).owner();
    /// `run.read`: Reads a run.
    RunRead = row(Action::RunRead, "run.read", ResourceKind::Run, &[Person, Agent], READ);
    /// `run.start`: Starts or resumes a run.
    RunStart = row(Action::RunStart, "run.start", ResourceKind::Run, &[Agent], OWN_RUN).rate(RateClass::AgentRuntime).binding(BindingMode::Unbound);
    /// `run.update`: Patches a run: status line, progress, draft, follow-ups.
    RunUpdate = row(Action::RunUpdate, "run.update", ResourceKind::Run, &[Agent], OWN_RUN).rate(RateClass::AgentRuntime).binding(BindingMode::OwnException);
    /// `run.finish`: Ends a run, or lets it wait for input.
    RunFinish = row(Action::RunFinish, "run.finish", ResourceKind::Run, &[Agent], OWN_RUN).rate(RateClass::AgentRuntime).binding(BindingMode::OwnException);
    /// `run.cancel`: Asks a run to stop.
    RunCancel = row(Action::RunCancel, "run.cancel", ResourceKind::Run, &[Person], TRIGGERING_OR_MODERATE).audited().rate(RateClass::Write);
    /// `run.token.renew`: Gets a fresh invocation token.
    RunTokenRenew = row(Action::RunTokenRenew, "run.token.renew", ResourceKind::Run, &[Agent], OWN_RUN).rate(RateClass::AgentRuntime).binding(BindingMode::Unbound);
    /// `run.context.read`: Reads the context of a run.
    RunContextRead = row(Action::RunContextRead, "run.context.read", ResourceKind::Run, &[Agent], OWN_RUN).rate(RateClass::AgentRuntime);
    /// `run.evidence.read`: Reads what the agent of a run saw.
    RunEvidenceRead = row(Action::RunEvidenceRead, "run.evidence.read", ResourceKind::Run, &[Person], READ);
    /// `interaction.press`: Presses a component of a message; `agent.invoke` is judged as well.
    InteractionPress = row(Action::InteractionPress, "interaction.press", ResourceKind::Message, &[Person], READ).rate(RateClass::Write);
    /// `interaction.respond`: Answers an interaction.
    InteractionRespond = row(Action::InteractionRespond, "interaction.respond", ResourceKind::Run, &[Agent], OWN_RUN).rate(RateClass::AgentRuntime).binding(BindingMode::OwnException);
}
