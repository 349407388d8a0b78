use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_storage::UnitOfWork;
use futures::future::BoxFuture;

/// Says whether an agent lets itself be called into a direct message (implemented by runs, which asks
/// the agent's `dm_policy`).
pub trait DirectAdmission: Send + Sync {
    /// Whether the agent admits whoever opens the direct message, by the rights that the unit of work
    /// sees.
    ///
    /// # Errors
    /// `unavailable` when a source fails; never a weaker answer.
    fn admits<'a>(
        &'a self,
        uow: &'a UnitOfWork,
        agent: PrincipalId,
        opener: PrincipalId,
    ) -> BoxFuture<'a, Result<bool, Problem>>;
}
