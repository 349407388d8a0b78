//! Invocation tokens (chapter 06 section 5): made when an invocation is delivered, never stored,
//! and read again with every request of the agent in its run.

use std::sync::Arc;
use std::time::Duration;

use bothy_domain::acting_for::InvocationClaims;
use bothy_domain::ids::{InstanceId, InvocationTokenId, PrincipalId, RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::run::TriggerKind;
use bothy_platform::clock::SharedClock;
use bothy_platform::entropy::IdSource;
use bothy_platform::failure::problem;
use bothy_platform::jws::{SignatureCache, Unverified, claims, sign};
use bothy_platform::keys::{KeyError, KeyPurpose, KeyRing};
use bothy_storage::Reader;
use serde::{Deserialize, Serialize};

use crate::settings::RunSettings;
use crate::store::row::RunRow;

/// The type in the header. A token of another kind never passes for one of these.
const TYPE: &str = "invocation+jwt";

/// The longest token that is looked at. Ours have about 750 bytes; the header counts as hostile
/// input until its signature was checked.
const MAX_LEN: usize = 1024;

/// How many good signatures are remembered. It bounds memory to some hundred KiB and never decides
/// anything, so it is no setting.
const REMEMBERED: usize = 4096;

/// Makes and reads invocation tokens. Clones share what they remember.
#[derive(Debug, Clone)]
pub struct InvocationTokens {
    keys: KeyRing,
    instance: InstanceId,
    clock: SharedClock,
    ids: IdSource,
    ttl: Duration,
    leeway: Duration,
    good: Arc<SignatureCache>,
}

/// The claims as they travel.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireClaims {
    iss: InstanceId,
    aud: PrincipalId,
    sub: PrincipalId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread_id: Option<ThreadId>,
    trigger_kind: TriggerKind,
    iat: i64,
    exp: i64,
    jti: InvocationTokenId,
}

/// What a good token says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Whom it binds to whom.
    pub claims: InvocationClaims,
    /// From when on it starts and resumes nothing any more, in seconds. Binding does not look at
    /// it (AF-4).
    pub expires_at: i64,
}

/// Why a token is not good for starting or resuming a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenRefused {
    /// Not a token of this instance, of another agent, or of another run.
    #[error("the token does not belong to this run")]
    Invalid,
    /// Good once, but no longer.
    #[error("the token has expired")]
    Expired,
}

impl InvocationTokens {
    /// Tokens of an instance, signed with its keys.
    pub fn new(keys: KeyRing, instance: InstanceId, clock: SharedClock, ids: IdSource, settings: &RunSettings) -> Self {
        Self {
            keys,
            instance,
            clock,
            ids,
            ttl: settings.token_ttl,
            leeway: settings.clock_leeway,
            good: Arc::new(SignatureCache::new(REMEMBERED)),
        }
    }

    /// A fresh token of a run. Every token of a run names the same agent, person and thread.
    ///
    /// # Errors
    /// `unavailable` or `internal_error` when no key can be had.
    pub(crate) async fn issue(&self, run: &RunRow) -> Result<String, Problem> {
        let now = self.clock.now();
        self.sign(&WireClaims {
            iss: self.instance,
            aud: run.agent,
            sub: run.triggered_by,
            run_id: Some(run.id),
            thread_id: Some(run.thread),
            trigger_kind: run.trigger_kind,
            iat: now.seconds(),
            exp: now.plus(self.ttl).seconds(),
            jti: self.ids.next(),
        })
        .await
    }

    async fn sign(&self, claims: &WireClaims) -> Result<String, Problem> {
        let signer = self.keys.signer(KeyPurpose::Invocation).await.map_err(key_problem)?;
        let claims = serde_json::to_vec(claims).map_err(Problem::internal)?;
        Ok(sign(TYPE, signer.kid(), signer.key(), &claims))
    }

    /// Reads a token: form, algorithm, type, key, signature, issuer and issue time. Expiry is handed
    /// out and not judged; whether the run still is what the token says is judged with the run.
    /// `None` for whatever is wrong with it. Only a key that is not known yet costs I/O.
    ///
    /// # Errors
    /// `unavailable` when the key has to be looked up and cannot be: never "not a token".
    pub async fn verify(&self, reader: &Reader, token: &str) -> Result<Option<Verified>, Problem> {
        let Ok(token) = Unverified::parse(token, TYPE, MAX_LEN) else {
            return Ok(None);
        };
        let Some(key) = self.keys.verifier(reader, KeyPurpose::Invocation, token.kid()).await.map_err(key_problem)?
        else {
            return Ok(None);
        };
        let wire = token.verify_cached(&key, &self.good).and_then(|payload| claims::<WireClaims>(&payload));
        Ok(wire.ok().filter(|wire| self.is_ours(wire)).map(|wire| Verified {
            claims: InvocationClaims {
                agent: wire.aud,
                person: wire.sub,
                run: wire.run_id,
                thread: wire.thread_id,
                token: wire.jti,
            },
            expires_at: wire.exp,
        }))
    }

    /// Issued by this instance, and not in the future.
    fn is_ours(&self, wire: &WireClaims) -> bool {
        wire.iss == self.instance && wire.iat <= self.clock.now().plus(self.leeway).seconds()
    }

    /// Reads the token that starts or resumes a run: like [`verify`](Self::verify), and of this very
    /// run, and not expired.
    ///
    /// # Errors
    /// The inner [`TokenRefused`], or a problem as for [`verify`](Self::verify).
    pub(crate) async fn verify_for(
        &self,
        reader: &Reader,
        token: &str,
        run: &RunRow,
    ) -> Result<Result<(), TokenRefused>, Problem> {
        let Some(verified) = self.verify(reader, token).await? else {
            return Ok(Err(TokenRefused::Invalid));
        };
        let claims = verified.claims;
        let same = claims.agent == run.agent
            && claims.person == run.triggered_by
            && claims.run == Some(run.id)
            && claims.thread == Some(run.thread);
        Ok(if !same {
            Err(TokenRefused::Invalid)
        } else if verified.expires_at <= self.clock.now().minus(self.leeway).seconds() {
            Err(TokenRefused::Expired)
        } else {
            Ok(())
        })
    }
}

fn key_problem(error: KeyError) -> Problem {
    match error {
        KeyError::Storage(error) => problem(error),
        other => Problem::internal(other),
    }
}

#[cfg(test)]
mod tests;
