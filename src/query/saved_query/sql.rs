//! Parses the text of a saved query into a [`Select`]. Everything in it must be supported, or it is refused.

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, LimitClause, OrderBy, OrderByExpr, OrderByKind, OrderBySort, Query,
    Select as SqlSelect, SelectItem, SetExpr, Statement, TableFactor, Value as SqlValue,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer};

use super::expression::SqlNames;
use super::refusal::UnsupportedSql;
use super::select::{Select, Sorting};
use crate::model::Moment;

/// The maximum number of words and signs of a query, so that no nesting can exhaust the stack.
pub const MOST_SIGNS: usize = 1_000;
const MOST_BYTES: usize = 64 << 10;
/// The maximum depth of nesting.
const DEPTH: usize = 40;

type Result<T> = std::result::Result<T, UnsupportedSql>;

/// Parses a query. It may read only `tables`, and `now` is its current time.
pub fn read(text: &str, tables: &'static [&'static str], now: Moment) -> Result<Select> {
    let mut query = one_query(text)?;
    let (order, limit) = (query.order_by.take(), query.limit_clause.take());
    let mut own = plain_select(&mut query)?;
    let (table, alias) = table(&mut own)?;
    let known = tables.iter().find(|known| known.eq_ignore_ascii_case(&table));
    let known = known.ok_or(UnsupportedSql::Table(table.clone(), tables))?;
    let mut names = SqlNames::new([table].into_iter().chain(alias), now);
    for item in std::mem::take(&mut own.projection) {
        column(&mut names, item)?;
    }
    let condition = own.selection.take().map(|asked| names.condition(&asked)).transpose()?;
    nothing_else(query, own)?;
    let order = order.map_or(Ok(Vec::new()), |order| sortings(&names, order))?;
    let limit = limit.map(limited).transpose()?;
    Ok(Select { table: (*known).to_owned(), condition, order, limit })
}

fn part<T>(what: &str) -> Result<T> {
    Err(UnsupportedSql::Part(what.to_owned()))
}

fn statements(text: &str) -> Result<Vec<Statement>> {
    if text.len() > MOST_BYTES {
        return Err(UnsupportedSql::Long);
    }
    let dialect = GenericDialect {};
    let tokens = Tokenizer::new(&dialect, text).tokenize_with_location();
    let tokens = tokens.map_err(|error| UnsupportedSql::Unreadable(error.to_string()))?;
    if tokens.iter().filter(|own| !matches!(own.token, Token::Whitespace(_))).count() > MOST_SIGNS {
        return Err(UnsupportedSql::Long);
    }
    let mut parser = Parser::new(&dialect).with_recursion_limit(DEPTH).with_tokens_with_locations(tokens);
    parser.parse_statements().map_err(|error| match error {
        ParserError::ParserError(why) | ParserError::TokenizerError(why) => UnsupportedSql::Unreadable(why),
        ParserError::RecursionLimitExceeded => {
            UnsupportedSql::Unreadable(format!("it is nested more than {DEPTH} deep"))
        }
    })
}

fn one_query(text: &str) -> Result<Query> {
    let mut own = statements(text.trim_start_matches('\u{feff}'))?;
    match (own.pop(), own.len()) {
        (Some(Statement::Query(query)), 0) => Ok(*query),
        (Some(_), 0) => Err(UnsupportedSql::NoSelect),
        (Some(_), others) => Err(UnsupportedSql::Statements(others + 1)),
        (None, _) => Err(UnsupportedSql::Statements(0)),
    }
}

/// Takes the SELECT from a query that has only one.
fn plain_select(query: &mut Query) -> Result<SqlSelect> {
    if query.with.is_some() {
        return part("a query with a name of its own (WITH)");
    }
    // Without the body, the rest can be compared with the rest of the simplest query.
    let body = std::mem::replace(&mut *query.body, SetExpr::Values(no_values()));
    match body {
        SetExpr::Select(own) => Ok(*own),
        SetExpr::SetOperation { op, .. } => part(&format!("several SELECTs ({op})")),
        SetExpr::Query(_) => part("a query in parentheses"),
        _ => Err(UnsupportedSql::NoSelect),
    }
}

fn no_values() -> sqlparser::ast::Values {
    sqlparser::ast::Values { explicit_row: false, value_keyword: false, rows: Vec::new() }
}

/// Takes the name of the table and its alias. Everything else of the source stays in place.
fn table(own: &mut SqlSelect) -> Result<(String, Option<String>)> {
    let source = match own.from.as_mut_slice() {
        [source] if source.joins.is_empty() => source,
        [] => return part("no table (FROM)"),
        _ => return part("several tables (JOIN)"),
    };
    match &mut source.relation {
        TableFactor::Table { args: Some(_), name, .. } => Err(UnsupportedSql::Function(name.to_string())),
        TableFactor::Table { name, alias, .. } => {
            let parts = std::mem::take(&mut name.0);
            let parts: Option<Vec<&Ident>> = parts.iter().map(|part| part.as_ident()).collect();
            let other = alias.take();
            match (parts.as_deref(), other) {
                (Some([own]), None) => Ok((own.value.clone(), None)),
                (Some([own]), Some(other)) if other.columns.is_empty() && other.at.is_none() => {
                    Ok((own.value.clone(), Some(other.name.value)))
                }
                _ => part("a table with another name than events, notes or profiles"),
            }
        }
        TableFactor::Derived { .. } => part("a query within the query"),
        TableFactor::NestedJoin { .. } => part("several tables (JOIN)"),
        _ => part("a source that is no table"),
    }
}

/// Reads a column of the SELECT. palimp shows the complete record, so only an alias counts.
fn column(names: &mut SqlNames, item: SelectItem) -> Result<()> {
    match item {
        SelectItem::Wildcard(options) if options == Default::default() => Ok(()),
        SelectItem::QualifiedWildcard(_, options) if options == Default::default() => Ok(()),
        SelectItem::UnnamedExpr(expression) => names.operand(&expression).map(drop),
        SelectItem::ExprWithAlias { expr, alias } => {
            let own = names.operand(&expr)?;
            names.call(alias.value, own);
            Ok(())
        }
        _ => part("a column that is no field"),
    }
}

/// Refuses a query that has more than the supported parts, which were taken out before.
fn nothing_else(query: Query, own: SqlSelect) -> Result<()> {
    if own.distinct.is_some() {
        return part("DISTINCT");
    }
    let groups = match &own.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(by, more) => !by.is_empty() || !more.is_empty(),
    };
    match () {
        () if groups => return part("groups (GROUP BY)"),
        () if own.having.is_some() => return part("HAVING"),
        () if own.into.is_some() => return part("INTO"),
        () => {}
    }
    let mut plain = one_query("SELECT * FROM plain")?;
    let mut select = plain_select(&mut plain)?;
    table(&mut select)?;
    select.projection.clear();
    if query == plain && own == select { Ok(()) } else { part("a part besides WHERE, ORDER BY and LIMIT") }
}

fn sortings(names: &SqlNames, order: OrderBy) -> Result<Vec<Sorting>> {
    match order {
        OrderBy { kind: OrderByKind::Expressions(by), interpolate: None } => {
            by.iter().map(|by| sorting(names, by)).collect()
        }
        _ => part("an ORDER BY without fields"),
    }
}

fn sorting(names: &SqlNames, by: &OrderByExpr) -> Result<Sorting> {
    let is_descending = match &by.options.sort {
        None | Some(OrderBySort::Asc) => false,
        Some(OrderBySort::Desc) => true,
        Some(OrderBySort::Using(_)) => return part("ORDER BY USING"),
    };
    if by.with_fill.is_some() || matches!(by.expr, Expr::Value(_)) {
        return part("an ORDER BY without fields");
    }
    // As in SQLite, NULL is less than any value.
    let nulls_first = by.options.nulls_first.unwrap_or(!is_descending);
    Ok(Sorting { by: names.operand(&by.expr)?, is_descending, nulls_first })
}

fn limited(limit: LimitClause) -> Result<usize> {
    match limit {
        LimitClause::LimitOffset { offset: Some(_), .. } | LimitClause::OffsetCommaLimit { .. } => {
            part("OFFSET")
        }
        LimitClause::LimitOffset { limit: Some(Expr::Value(value)), offset: None, limit_by }
            if limit_by.is_empty() =>
        {
            match &value.value {
                SqlValue::Number(number, false) if number.parse::<usize>().is_ok() => {
                    Ok(number.parse().unwrap_or_default())
                }
                SqlValue::Placeholder(name) => Err(UnsupportedSql::Parameter(name.clone())),
                _ => part("a LIMIT that is no whole number"),
            }
        }
        _ => part("a LIMIT that is no whole number"),
    }
}
