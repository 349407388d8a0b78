//! Rate limits (chapter 04 section 5): one budget for each class and caller. A caller is the
//! principal, however many tokens, sessions and runs it uses, or the address when nobody could be
//! authenticated.

mod buckets;
mod client;

use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use bothy_domain::action::RateClass;
use bothy_domain::problem::{Problem, ProblemCode};

use self::buckets::{Buckets, Quota};
use crate::clock::SharedClock;
use crate::config::{Config, Network};

pub(super) use buckets::Payer;
pub(super) use client::ClientAddress;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The budgets of all callers on this node.
#[derive(Debug)]
pub struct RateLimits {
    clock: SharedClock,
    proxies: Vec<Network>,
    public_auth: Buckets,
    read: Buckets,
    write: Buckets,
    agent_runtime: Buckets,
    admin: Buckets,
}

/// What a budget looks like after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    class: RateClass,
    quota: Quota,
    /// How many requests are left.
    remaining: u64,
    /// Seconds until the whole budget is there again.
    reset: u64,
    /// Seconds to wait before the next request, when this one was too much.
    wait: Option<u64>,
}

impl RateLimits {
    /// Full budgets for everybody, as `rate.*` says. `server.trusted_proxies` says whose word on
    /// the address of a client counts.
    pub fn new(config: &Config, clock: SharedClock) -> Self {
        let rate = &config.rate;
        let buckets = |per_minute: u64, burst: u64| {
            Buckets::new(Quota::share(per_minute, burst, rate.nodes.get()), rate.tracked_max.to_usize())
        };
        Self {
            public_auth: buckets(rate.public_auth.get(), rate.public_auth_burst.get()),
            read: buckets(rate.read.get(), rate.read_burst.get()),
            write: buckets(rate.write.get(), rate.write_burst.get()),
            agent_runtime: buckets(rate.agent_runtime.get(), rate.agent_runtime_burst.get()),
            admin: buckets(rate.admin.get(), rate.admin_burst.get()),
            proxies: config.server.trusted_proxies.clone(),
            clock,
        }
    }

    /// Whose address a request counts for.
    pub(super) fn client(&self, extensions: &Extensions, headers: &HeaderMap) -> ClientAddress {
        ClientAddress::of(extensions, headers, &self.proxies)
    }

    /// Takes one request from a budget, or says how long to wait.
    pub(super) fn take(&self, class: RateClass, payer: Payer) -> Standing {
        let buckets = self.buckets(class);
        Standing::new(class, buckets.quota(), buckets.take(payer, self.clock.now()))
    }

    /// Looks at a budget without taking anything.
    pub(super) fn look(&self, class: RateClass, payer: Payer) -> Standing {
        let buckets = self.buckets(class);
        Standing::new(class, buckets.quota(), buckets.look(payer, self.clock.now()))
    }

    const fn buckets(&self, class: RateClass) -> &Buckets {
        match class {
            RateClass::PublicAuth => &self.public_auth,
            RateClass::Read => &self.read,
            RateClass::Write => &self.write,
            RateClass::AgentRuntime => &self.agent_runtime,
            RateClass::Admin => &self.admin,
        }
    }
}

impl Standing {
    fn new(class: RateClass, quota: Quota, level: buckets::Level) -> Self {
        Self { class, quota, remaining: level.remaining, reset: level.reset, wait: level.wait }
    }

    /// # Errors
    /// `rate_limited` when the request was too much.
    pub(super) const fn check(self) -> Result<(), Problem> {
        match self.wait {
            None => Ok(()),
            Some(seconds) => Err(Problem::new(ProblemCode::RateLimited).with_retry_after(seconds)),
        }
    }

    /// Says so in the fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers).
    pub(super) fn write(self, headers: &mut HeaderMap) {
        let name = self.class.as_str();
        let policy = format!("\"{name}\";q={};w={}", self.quota.requests(), self.quota.window());
        let limit = format!("\"{name}\";r={};t={}", self.remaining, self.reset);
        for (header, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)] {
            // Names of classes and numbers are always a header value.
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(header, value);
            }
        }
    }
}
