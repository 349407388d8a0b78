//! The first owner.

use bothy_authz::Touched;
use bothy_domain::action::Action;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::InstanceId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::config::Secret;
use bothy_platform::failure::{Failure, OrProblem, transact};
use bothy_platform::instance::SetupError;
use bothy_storage::work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::login::{Door, stranger};
use crate::principals::{name_of, names_of};
use crate::store::people;
use crate::{Identity, NewPrincipal, SignedIn, email};

/// What anybody may know of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InstanceView {
    /// The instance.
    pub instance_id: InstanceId,
    /// Its name.
    pub name: String,
    /// Whether it has its first owner.
    pub set_up: bool,
}

/// The first owner, with the code that the server printed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupInstance {
    /// The one-time code that `bothy serve` or `bothy admin setup-code` printed.
    pub setup_code: Secret,
    /// What the instance is called.
    #[serde(default)]
    pub instance_name: Option<String>,
    /// The e-mail address to sign in with.
    pub email: String,
    /// The handle.
    pub handle: String,
    /// The name.
    pub display_name: String,
    /// The password.
    pub password: Secret,
}

impl Identity {
    /// What anybody may know of the instance.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub(crate) async fn instance(&self) -> Result<InstanceView, Problem> {
        let reader = self.parts.database.reader().await.or_problem()?;
        let info = self.parts.instance.info(&reader).await.or_problem()?;
        Ok(InstanceView { instance_id: info.id, name: info.name, set_up: info.set_up_at.is_some() })
    }

    /// Makes the first owner and signs them in. Works once.
    ///
    /// # Errors
    /// `unauthenticated`, audited, for a wrong code or one whose time is over; `conflict` when there
    /// is an owner; `validation_failed`.
    pub(crate) async fn setup_instance(&self, input: SetupInstance) -> Result<SignedIn, Problem> {
        if self.instance().await?.set_up {
            return Err(already_set_up());
        }
        names_of(&input.handle, &input.display_name)?;
        let address = email::parse(&input.email)?;
        let instance_name = input.instance_name.as_deref().map(|name| name_of("/instance_name", name)).transpose()?;
        self.passwords.check_new("/password", input.password.expose())?;
        let hash = self.passwords.hash(input.password.expose().to_owned()).await?;
        let (input, address, hash, instance_name) = (&input, &address, &hash, instance_name.as_deref());
        let result = transact(&self.parts.database, |unit| {
            work(async move {
                // Takes the lock that every change of rights takes, so it comes first.
                self.parts.instance.consume_setup_code(unit, input.setup_code.expose()).await.map_err(refused)?;
                let new = NewPrincipal {
                    kind: PrincipalKind::Person,
                    handle: &input.handle,
                    display_name: &input.display_name,
                    status: PrincipalStatus::Active,
                    requires_binding: false,
                };
                let owner = self.create_principal(unit, new).await?;
                people::insert(unit, owner, address, Some(hash)).await?;
                people::insert_owner(unit, owner, self.parts.clock.now()).await?;
                if let Some(name) = instance_name {
                    self.parts.instance.rename(unit, name).await?;
                }
                let mut entry = stranger(Action::OwnerAdd, "setup");
                entry.resource_id = Some(owner.cast());
                self.parts.audit.record(unit, &entry).await?;
                self.parts.authz.changed(unit, Touched::Principals(vec![owner])).await?;
                Ok(self.sign_in(unit, owner).await?)
            })
        })
        .await;
        match result {
            Err(problem) if problem.code() == ProblemCode::Unauthenticated => Err(self.turned_away(Door::Setup).await),
            other => other,
        }
    }
}

fn refused(error: SetupError) -> Failure {
    match error {
        SetupError::Storage(error) => error.into(),
        SetupError::AlreadySetUp => already_set_up().into(),
        SetupError::WrongCode => Problem::new(ProblemCode::Unauthenticated).into(),
    }
}

fn already_set_up() -> Problem {
    Problem::conflict("the instance is set up already")
}
