//! Lists in pages (chapter 04 section 4): a bounded `limit`, an opaque `cursor`, and a page that
//! names the next one only when there is more.
//!
//! A list fetches [`Paging::fetch`] rows (one more than it shows), so that nothing but the rows
//! themselves says whether there is more:
//!
//! ```
//! use bothy_platform::paging::{Cursor, PageLimits, Paging, page};
//!
//! let limits = PageLimits { default: 2, max: 100 };
//! let paging = Paging::parse(None, None, limits)?;
//! let fetched = vec![1_i64, 2, 3]; // SELECT ... ORDER BY seq LIMIT paging.fetch()
//! let first = page(fetched, paging.limit, |seq| Cursor::int(*seq));
//! assert_eq!(first.items, [1, 2]);
//! let second = Paging::parse(None, first.next_cursor.as_deref(), limits)?;
//! assert_eq!(second.after_int()?, Some(2));
//! # Ok::<(), bothy_domain::problem::Problem>(())
//! ```

mod cursor;

use bothy_domain::ids::Id;
use bothy_domain::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{Config, Http};

pub use cursor::{Cursor, Part};

/// How long a page is when nobody says (`http.page_limit_default`), and at most
/// (`http.page_limit_max`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// Without a `limit`.
    pub default: u32,
    /// The largest `limit`.
    pub max: u32,
}

impl From<&Http> for PageLimits {
    fn from(http: &Http) -> Self {
        let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let max = number(http.page_limit_max.get());
        Self { default: number(http.page_limit_default.get()).min(max), max }
    }
}

impl From<&Config> for PageLimits {
    fn from(config: &Config) -> Self {
        Self::from(&config.http)
    }
}

/// Where a page begins and how many items it has at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paging {
    /// How many items the page shows at most.
    pub limit: u32,
    /// The key of the last item of the page before.
    pub after: Option<Cursor>,
}

impl Paging {
    /// Takes the `limit` and `cursor` of a query.
    ///
    /// # Errors
    /// `validation_failed` at `/query/limit` for zero or more than the maximum, at `/query/cursor`
    /// for a text that is no cursor.
    pub fn parse(limit: Option<u32>, cursor: Option<&str>, limits: impl Into<PageLimits>) -> Result<Self, Problem> {
        let limits = limits.into();
        let limit = limit.unwrap_or(limits.default);
        if limit == 0 || limit > limits.max {
            return Err(Problem::invalid("/query/limit", format!("must be between 1 and {}", limits.max)));
        }
        let after = cursor.map(|text| Cursor::decode(text).ok_or_else(invalid_cursor)).transpose()?;
        Ok(Self { limit, after })
    }

    /// How many rows to fetch: one more than the page shows.
    pub fn fetch(&self) -> i64 {
        i64::from(self.limit).saturating_add(1)
    }

    /// The id that the cursor holds, for lists that are ordered by one.
    ///
    /// # Errors
    /// `validation_failed` at `/query/cursor` when the cursor belongs to another kind of list.
    pub fn after_id<K>(&self) -> Result<Option<Id<K>>, Problem> {
        match self.after.as_ref().map(Cursor::parts) {
            None => Ok(None),
            Some([Part::Id(id)]) => Ok(Some(Id::from_uuid(*id))),
            Some(_) => Err(invalid_cursor()),
        }
    }

    /// The number that the cursor holds, for lists that are ordered by one.
    ///
    /// # Errors
    /// `validation_failed` at `/query/cursor` when the cursor belongs to another kind of list.
    pub fn after_int(&self) -> Result<Option<i64>, Problem> {
        match self.after.as_ref().map(Cursor::parts) {
            None => Ok(None),
            Some([Part::Int(number)]) => Ok(Some(*number)),
            Some(_) => Err(invalid_cursor()),
        }
    }
}

/// The answer to a cursor that is none, or that belongs to another list.
pub fn invalid_cursor() -> Problem {
    Problem::invalid("/query/cursor", "is not a cursor of this list")
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// The items, in the order of the list.
    pub items: Vec<T>,
    /// The cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// The page with each item in another form.
    pub fn map<U>(self, form: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(form).collect(), next_cursor: self.next_cursor }
    }

    /// The page without the items that fail the check in filter mode. The cursor stays: it names a
    /// place in the list.
    #[must_use]
    pub fn retain(mut self, keep: impl FnMut(&T) -> bool) -> Self {
        self.items.retain(keep);
        self
    }
}

/// Makes a page of fetched rows, of which there is one more than `limit` when the list goes on.
pub fn page<T>(mut fetched: Vec<T>, limit: u32, cursor: impl FnOnce(&T) -> Cursor) -> Page<T> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = fetched.len() > limit;
    fetched.truncate(limit);
    let next_cursor = if more { fetched.last().map(|last| cursor(last).encode()) } else { None };
    Page { items: fetched, next_cursor }
}

#[cfg(test)]
mod tests;
