//! Forgetting on purpose: which memories a topic, a value, a person or a kind takes, what is nearly the same, which
//! keys must be replaced, and rules that are saved and run again.

mod clean_up_match;
mod clean_up_plan;
mod find;
mod near_copies;
mod rule;
mod saved_rules;

pub use clean_up_match::{CleanUpAction, CleanUpError, CleanUpMatch, CleanUpRequest};
pub use clean_up_plan::{CleanUpPlan, plan_clean_up};
pub use near_copies::{NearCopy, NearKind};
pub use rule::CleanUpRule;
pub use saved_rules::SavedRules;
