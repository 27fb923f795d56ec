//! Runs the saved queries of stores: one SELECT over a copy of their memories, in an SQLite database in memory. The text
//! of a query can't write, open a file or read the clock, and what it takes is limited.

mod functions;
mod record_values;
mod select;

use std::collections::{BTreeSet, HashSet};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::Value;
use rusqlite::{Connection, Error, ErrorCode, params_from_iter};

use crate::format::{self, Format, SavedQueryTable};
use crate::model::{Moment, State, Store};
use record_values::{SHOWN, named_values};
use select::{ROW, Select};

/// The most bytes that SQLite takes, of all databases of the process.
const MOST_MEMORY: usize = 256 << 20;
/// The longest text in bytes. A search of one long text in another can't be stopped, and takes the square of it.
const LONGEST: usize = 256 << 10;
/// The longest text, the longest query, its deepest expression and the longest pattern of `LIKE`.
const LIMITS: [(Limit, i32); 4] = [
    (Limit::SQLITE_LIMIT_LENGTH, LONGEST as i32),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 16 << 10),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 300),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256),
];
/// A query is looked after once per this many instructions of SQLite, and at most so often: some seconds.
const STRIDE: i32 = 1_000;
const ROUNDS: u32 = 50_000;

/// Runs a query on the memories of a store in a visible state. Returns the numbers of their entries in its order,
/// and whether it sets one; or why it is not run, in a sentence that quotes it. Ends early on `stop`.
pub fn select(
    store: &Store,
    text: &str,
    now: Moment,
    is_seen: &dyn Fn(State) -> bool,
    stop: impl Fn() -> bool + Send + 'static,
) -> Result<(Vec<u32>, bool), String> {
    let Some(format) = format::by_name(store.format) else { return Ok((Vec::new(), false)) };
    let select = Select::read(text)?;
    let ran = database(now).and_then(|database| {
        for table in format.about().tables.iter().filter(|table| select.names.contains(table.name)) {
            fill(&database, table, (format, store), &select.names, &|state| is_seen(state) && !stop())?;
        }
        lock(&database, format.about().tables, stop)?;
        entries(&database, &select.sql)
    });
    ran.map(|entries| (entries, select.is_ordered)).map_err(|error| reason(&error, format.about().tables))
}

fn database(now: Moment) -> rusqlite::Result<Connection> {
    let database = Connection::open_in_memory()?;
    database
        .execute_batch(&format!("PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {MOST_MEMORY};"))?;
    for (limit, most) in LIMITS {
        database.set_limit(limit, most)?;
    }
    // A name in double quotes that nobody knows is an error, not a text.
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    // Two texts compare as times if both are times.
    let key = |text: &str| Moment::of(text).map_or_else(|| text.to_owned(), Moment::to_micros);
    database.create_collation("times", move |one, other| key(one).cmp(&key(other)))?;
    functions::define(&database, now)?;
    Ok(database)
}

/// Makes a table of the memories of one kind. Of their members and those of the specification, it has a column for
/// each that the query names.
fn fill(
    database: &Connection,
    table: &SavedQueryTable,
    (format, store): (&dyn Format, &Store),
    names: &HashSet<String>,
    is_seen: &dyn Fn(State) -> bool,
) -> rusqlite::Result<()> {
    let rows = || {
        let all = store.entries.iter().zip(0_i64..).filter(|(entry, _)| {
            is_seen(entry.state) && format.is_in_table(&store.document(entry).path, table.name)
        });
        all.filter_map(|(entry, number)| Some((number, named_values(format, store, entry, names)?)))
    };
    let known = table.members.iter().chain(&SHOWN).map(|name| (*name).to_owned());
    let mut columns: BTreeSet<String> = known.filter(|name| names.contains(name)).collect();
    columns.extend(rows().flat_map(|(_, values)| values.into_keys()));
    let declared: String =
        columns.iter().map(|name| format!(", \"{}\" COLLATE times", name.replace('"', "\"\""))).collect();
    database.execute_batch(&format!("BEGIN; CREATE TABLE {} ({ROW} INTEGER{declared});", table.name))?;
    let marks = ", ?".repeat(columns.len());
    let mut insert = database.prepare(&format!("INSERT INTO {} VALUES (?{marks})", table.name))?;
    for (number, mut values) in rows() {
        let cells = columns.iter().map(|name| values.remove(name).map_or(Value::Null, within_limit));
        insert.execute(params_from_iter([Value::Integer(number)].into_iter().chain(cells)))?;
    }
    drop(insert);
    database.execute_batch("COMMIT")
}

/// Returns a value without what is beyond the longest text.
fn within_limit(value: Value) -> Value {
    match value {
        Value::Text(text) if text.len() > LONGEST => {
            let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            Value::Text(text[..end].to_owned())
        }
        other => other,
    }
}

/// From here on, the database can only be read, and only its tables.
fn lock(
    database: &Connection,
    tables: &'static [SavedQueryTable],
    stop: impl Fn() -> bool + Send + 'static,
) -> rusqlite::Result<()> {
    database.pragma_update(None, "query_only", true)?;
    let is_table = move |name: &str| {
        let mut known = tables.iter().map(|table| table.name).chain(["json_each", "json_tree"]);
        known.any(|table| table.eq_ignore_ascii_case(name))
    };
    database.authorizer(Some(move |asked: AuthContext<'_>| match asked.action {
        AuthAction::Select => Authorization::Allow,
        AuthAction::Read { table_name, .. } if is_table(table_name) => Authorization::Allow,
        AuthAction::Function { function_name } if functions::is_known(function_name) => Authorization::Allow,
        _ => Authorization::Deny,
    }))?;
    let mut rounds = 0;
    let is_over = move || {
        rounds += 1;
        rounds > ROUNDS || stop()
    };
    database.progress_handler(STRIDE, Some(is_over))
}

/// An entry that several rows are of is there once.
fn entries(database: &Connection, sql: &str) -> rusqlite::Result<Vec<u32>> {
    let mut statement = database.prepare(sql)?;
    if !statement.readonly() {
        return Err(Error::InvalidQuery);
    }
    let column = statement.column_count().saturating_sub(1);
    let mut seen = HashSet::new();
    let rows = statement.query_map([], |row| row.get(column))?;
    rows.filter(|row| row.as_ref().map_or(true, |number| seen.insert(*number))).collect()
}

/// Returns why a query is not run.
fn reason(error: &Error, tables: &[SavedQueryTable]) -> String {
    let why = match error {
        _ if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            return "it takes too long.".to_owned();
        }
        Error::SqlInputError { msg, .. } | Error::SqliteFailure(_, Some(msg)) => msg.clone(),
        other => other.to_string(),
    };
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    format!("SQLite says “{why}”. Its tables are {}.", names.join(", "))
}
