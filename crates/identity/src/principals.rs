//! Principals of every kind, for the crates that make agents and apps and that show authors.

use bothy_authz::Touched;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{AnyId, PrincipalId};
use bothy_domain::names::{self, Handle};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, UnitOfWork};

use crate::Identity;
use crate::store::principals as store;

/// Who somebody is, as everybody may know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipalRef {
    /// The principal.
    pub id: PrincipalId,
    /// What kind it is.
    pub kind: PrincipalKind,
    /// Its handle.
    pub handle: String,
    /// Its name; content of whoever chose it (AZ-11).
    pub display_name: String,
    /// Its status.
    pub status: PrincipalStatus,
    /// Whether it may act only inside a run (AF-17); for agents.
    pub requires_binding: bool,
}

/// A principal to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewPrincipal<'a> {
    /// What kind it is.
    pub kind: PrincipalKind,
    /// Its handle as somebody typed it.
    pub handle: &'a str,
    /// Its name as somebody typed it.
    pub display_name: &'a str,
    /// Its status.
    pub status: PrincipalStatus,
    /// Whether it may act only inside a run (AF-17); for agents.
    pub requires_binding: bool,
}

impl Identity {
    /// Those of `ids` that exist, in no certain order.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn principals(&self, reader: &Reader, ids: &[PrincipalId]) -> Result<Vec<PrincipalRef>, Problem> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        store::principals(reader, ids).await.or_problem()
    }

    /// Those who have one of these handles, as somebody typed them, in no certain order. Only the
    /// handle itself counts: what merely looks like it names nobody, and nobody else can have a
    /// handle that looks like it.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn by_handles(&self, reader: &Reader, handles: &[String]) -> Result<Vec<PrincipalRef>, Problem> {
        let mut folded: Vec<String> = handles
            .iter()
            .filter_map(|handle| Handle::parse(handle).ok())
            .map(|handle| handle.as_str().to_owned())
            .collect();
        folded.sort_unstable();
        folded.dedup();
        if folded.is_empty() {
            return Ok(Vec::new());
        }
        store::by_handles(reader, folded).await.or_problem()
    }

    /// Makes a principal and tells everybody.
    ///
    /// # Errors
    /// `validation_failed` at `/handle` or `/display_name`; `conflict` when the handle, or one that
    /// looks like it, is taken.
    pub async fn create_principal(&self, unit: &UnitOfWork, new: NewPrincipal<'_>) -> Result<PrincipalId, Problem> {
        let (handle, display_name) = names_of(new.handle, new.display_name)?;
        let id = self.parts.ids.next();
        let stored = store::Stored {
            id,
            kind: new.kind,
            handle: &handle,
            display_name: &display_name,
            status: new.status,
            requires_binding: new.requires_binding,
            created_at: self.parts.clock.now(),
        };
        store::insert(unit, &stored).await.or_conflict("principals_handle", HANDLE_TAKEN)?;
        self.announce(unit, id).await?;
        Ok(id)
    }

    /// Gives a principal another status, which counts on the next request in every process, and
    /// tells authz and everybody.
    ///
    /// # Errors
    /// `conflict` when it was deleted: nobody comes back from there.
    pub async fn set_status(&self, unit: &UnitOfWork, id: PrincipalId, status: PrincipalStatus) -> Result<(), Problem> {
        self.parts.authz.hold(unit).await?;
        if !store::set_status(unit, id, status).await.or_problem()? {
            return Err(Problem::conflict("it was deleted"));
        }
        self.parts.authz.changed(unit, Touched::Principals(vec![id])).await?;
        self.announce(unit, id).await
    }

    /// Gives a principal another name or handle. Grants, mentions and authorship follow the id, so
    /// a handle that becomes free carries nothing to its next holder (C06).
    ///
    /// # Errors
    /// `validation_failed` at `/handle` or `/display_name`; `conflict` when the handle is taken.
    pub async fn set_names(
        &self,
        unit: &UnitOfWork,
        id: PrincipalId,
        handle: Option<&str>,
        display_name: Option<&str>,
    ) -> Result<(), Problem> {
        if let Some(handle) = handle {
            let handle = handle_of(handle)?;
            store::set_handle(unit, id, &handle).await.or_conflict("principals_handle", HANDLE_TAKEN)?;
        }
        if let Some(name) = display_name {
            store::set_display_name(unit, id, &name_of("/display_name", name)?).await.or_problem()?;
        }
        if handle.is_some() || display_name.is_some() { self.announce(unit, id).await } else { Ok(()) }
    }

    /// Says whether an agent may act only inside a run (AF-17). Read at each authentication.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn set_requires_binding(
        &self,
        unit: &UnitOfWork,
        id: PrincipalId,
        required: bool,
    ) -> Result<(), Problem> {
        store::set_requires_binding(unit, id, required).await.or_problem()
    }

    /// Holds the row of a principal, and fails when it is not active any more.
    pub(crate) async fn lock_active(&self, unit: &UnitOfWork, id: PrincipalId) -> Result<(), Problem> {
        if store::lock_active(unit, id).await.or_problem()? {
            Ok(())
        } else {
            Err(Problem::new(ProblemCode::Unauthenticated))
        }
    }

    /// Tells a principal that a credential of it ended: whatever is open or waits with it looks at its
    /// credential again, on every node.
    pub(crate) async fn credential_ended(
        &self,
        unit: &UnitOfWork,
        principal: PrincipalId,
        credential: AnyId,
    ) -> Result<(), Problem> {
        let event = NewEvent {
            subject: Some(credential),
            ..NewEvent::new(EventKind::RightsChanged, Audience::Principal(principal))
        };
        self.parts.events.append(unit, &[event]).await.or_problem()
    }

    /// Tells everybody that a principal appeared or changed.
    pub(crate) async fn announce(&self, unit: &UnitOfWork, id: PrincipalId) -> Result<(), Problem> {
        let event =
            NewEvent { subject: Some(id.cast()), ..NewEvent::new(EventKind::PrincipalUpdated, Audience::Instance) };
        self.parts.events.append(unit, &[event]).await.or_problem()
    }
}

const HANDLE_TAKEN: &str = "the handle, or one that looks like it, is taken";

/// Handle and name as they are stored.
///
/// # Errors
/// `validation_failed` at `/handle` or `/display_name`.
pub(crate) fn names_of(handle: &str, display_name: &str) -> Result<(Handle, String), Problem> {
    Ok((handle_of(handle)?, name_of("/display_name", display_name)?))
}

pub(crate) fn name_of(pointer: &str, name: &str) -> Result<String, Problem> {
    names::display_name(name).map_err(|error| Problem::invalid(pointer, error.to_string()))
}

fn handle_of(handle: &str) -> Result<Handle, Problem> {
    Handle::parse(handle).map_err(|error| Problem::invalid("/handle", error.to_string()))
}
