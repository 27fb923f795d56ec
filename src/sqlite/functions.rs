//! The functions that a saved query may call.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::model::Moment;

/// Those of SQLite, without what counts rows together, differs from run to run or reaches beyond the database.
const KNOWN: &str = "abs ceil ceiling char coalesce concat concat_ws floor format glob hex ifnull iif instr json \
    json_array json_array_length json_object json_quote json_type json_valid length like lower ltrim nullif printf \
    replace round rtrim sign substr substring trim typeof unicode upper";
/// Those that may need the time.
const OF_TIME: &str =
    "current_date current_time current_timestamp date datetime julianday strftime time unixepoch";
/// Those that fail if one memory has a text there that is no JSON.
const OF_JSON: &str = "-> ->> json_extract";

/// True if a query may call this function.
pub fn is_known(name: &str) -> bool {
    let mut known = [KNOWN, OF_TIME, OF_JSON].into_iter().flat_map(str::split_whitespace);
    known.any(|function| function.eq_ignore_ascii_case(name))
}

/// Has a second database call the functions of time and JSON: `now` is the time of the query, the time zone is UTC,
/// and an error is NULL.
pub fn define(database: &Connection, now: Moment) -> rusqlite::Result<()> {
    let inner = Arc::new(Mutex::new(Connection::open_in_memory()?));
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    for name in [OF_TIME, OF_JSON].into_iter().flat_map(str::split_whitespace) {
        let inner = Arc::clone(&inner);
        let now = OF_TIME.contains(name).then(|| Value::Text(now.to_millis()));
        database.create_scalar_function(name, -1, flags, move |context| {
            let values = arguments(context, name, now.as_ref())?;
            let called =
                if name == "current_timestamp" { "datetime" } else { name.trim_start_matches("current_") };
            let sql = format!("SELECT \"{called}\"({})", vec!["?"; values.len()].join(", "));
            let inner = inner.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(inner.query_row(&sql, params_from_iter(values), |row| row.get(0)).unwrap_or(Value::Null))
        })?;
    }
    Ok(())
}

fn arguments(context: &Context<'_>, name: &str, now: Option<&Value>) -> rusqlite::Result<Vec<Value>> {
    let mut values =
        (0..context.len()).map(|at| context.get(at)).collect::<rusqlite::Result<Vec<Value>>>()?;
    let Some(now) = now else { return Ok(values) };
    let is = |value: &Value, word| matches!(value, Value::Text(text) if text.eq_ignore_ascii_case(word));
    values.retain(|value| !is(value, "localtime") && !is(value, "utc"));
    if values.len() == usize::from(name == "strftime") {
        values.push(now.clone());
    }
    values.iter_mut().filter(|value| is(value, "now")).for_each(|value| *value = now.clone());
    Ok(values)
}
