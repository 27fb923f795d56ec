//! Lines of a plan: its rule, and the memories that it concerns.

use crate::model::{Moment, Plan, Store};
use crate::ops::effect_lines::{TouchedMemory, touched};

/// If a plan concerns memories, adds its rule, and which memories they are.
pub fn add_rule_lines(plan: &mut Plan, store: &Store, rule: &str, now: Moment) {
    let touched = touched(store, plan, now);
    if !touched.is_empty() {
        add_touched_lines(plan, rule, &touched);
    }
}

/// Adds to a plan its rule, and exactly which memories it concerns.
pub fn add_touched_lines(plan: &mut Plan, rule: &str, touched: &[TouchedMemory]) {
    plan.lines.push(format!("the rule: {rule}"));
    plan.lines.extend(touched.iter().map(TouchedMemory::line));
}
