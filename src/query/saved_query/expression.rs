//! Converts SQL expressions to conditions and operands.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, InTarget,
    UnaryOperator, Value as SqlValue,
};

use super::refusal::UnsupportedSql;
use super::select::{ComparisonSign, Condition, LikePattern, Operand};
use super::time_shift::TimeShift;
use super::value::RowValue;
use crate::model::Moment;

type Result<T> = std::result::Result<T, UnsupportedSql>;

/// The meaning of names in a query.
pub struct SqlNames {
    /// Names that may precede the name of a member: the table and its alias.
    tables: Vec<String>,
    /// Aliases of selected columns.
    columns: Vec<(String, Operand)>,
    now: Moment,
}

fn part<T>(what: impl Into<String>) -> Result<T> {
    Err(UnsupportedSql::Part(what.into()))
}

impl SqlNames {
    pub fn new(tables: impl Iterator<Item = String>, now: Moment) -> SqlNames {
        SqlNames { tables: tables.collect(), columns: Vec::new(), now }
    }

    /// Gives a selected column an alias.
    pub fn call(&mut self, name: String, operand: Operand) {
        self.columns.push((name, operand));
    }

    /// Converts an expression that is a condition. Walks the sides of `AND` and `OR` in a loop: only
    /// parentheses add recursion, a long chain does not.
    pub fn condition(&self, asked: &Expr) -> Result<Condition> {
        match asked {
            Expr::Nested(inner) => self.condition(inner),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => Ok(not(self.condition(expr)?)),
            Expr::BinaryOp { op: own @ (BinaryOperator::And | BinaryOperator::Or), .. } => {
                let parts =
                    sides(asked, own).into_iter().map(|side| self.condition(side)).collect::<Result<_>>()?;
                Ok(if *own == BinaryOperator::And { Condition::All(parts) } else { Condition::Any(parts) })
            }
            Expr::BinaryOp { left, op, right }
                if comparison(op).is_some() || *op == BinaryOperator::NotEq =>
            {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                let sign = comparison(op).unwrap_or(ComparisonSign::Equal);
                let own = Condition::Compare(left, sign, right);
                Ok(if *op == BinaryOperator::NotEq { not(own) } else { own })
            }
            Expr::IsNull(of) => Ok(Condition::IsNull(self.operand(of)?)),
            Expr::IsNotNull(of) => Ok(not(Condition::IsNull(self.operand(of)?))),
            Expr::IsTrue(of) => self.is(of, 1.0),
            Expr::IsFalse(of) => self.is(of, 0.0),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.is(asked, 1.0),
            _ => self.of_several(asked),
        }
    }

    /// Converts `BETWEEN`, `IN` and `LIKE`, which may have a NOT of their own.
    fn of_several(&self, asked: &Expr) -> Result<Condition> {
        let (own, is_negated) = match asked {
            Expr::Between { expr, negated, low, high } => {
                let (of, low, high) = (self.operand(expr)?, self.operand(low)?, self.operand(high)?);
                let low = Condition::Compare(of.clone(), ComparisonSign::AtLeast, low);
                (Condition::All(vec![low, Condition::Compare(of, ComparisonSign::AtMost, high)]), negated)
            }
            Expr::In { expr, target: InTarget::List(list), negated, global: false } => {
                let of = self.operand(expr)?;
                let any = list.iter().map(|other| {
                    Ok(Condition::Compare(of.clone(), ComparisonSign::Equal, self.operand(other)?))
                });
                (Condition::Any(any.collect::<Result<_>>()?), negated)
            }
            Expr::Like { negated, any: false, expr, pattern, escape_char: None }
            | Expr::ILike { negated, any: false, expr, pattern, escape_char: None } => {
                (Condition::Like(self.operand(expr)?, self.pattern(pattern)?), negated)
            }
            Expr::Like { .. } | Expr::ILike { .. } => return part("a LIKE with ESCAPE or ANY"),
            _ => return Err(refusal(asked)),
        };
        Ok(if *is_negated { not(own) } else { own })
    }

    fn is(&self, of: &Expr, number: f64) -> Result<Condition> {
        let number = Operand::Fixed(RowValue::Number(number));
        Ok(Condition::Compare(self.operand(of)?, ComparisonSign::Equal, number))
    }

    fn pattern(&self, pattern: &Expr) -> Result<LikePattern> {
        let Operand::Fixed(RowValue::Text(text)) = self.operand(pattern)? else {
            return part("a LIKE without a quoted text");
        };
        match LikePattern::new(&text) {
            Some(like) => Ok(like),
            None => part(format!("a LIKE of more than {} characters", LikePattern::LONGEST)),
        }
    }

    /// Converts an expression that is a value.
    pub fn operand(&self, of: &Expr) -> Result<Operand> {
        match of {
            Expr::Nested(inner) => self.operand(inner),
            Expr::Identifier(name) => Ok(self.named(std::slice::from_ref(name))),
            Expr::CompoundIdentifier(names) => Ok(self.named(names)),
            Expr::Value(value) => fixed(&value.value).map(Operand::Fixed),
            Expr::TypedString(typed) => fixed(&typed.value.value).map(Operand::Fixed),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match self.operand(expr)? {
                Operand::Fixed(RowValue::Number(number)) => Ok(Operand::Fixed(RowValue::Number(-number))),
                _ => part("arithmetic (-)"),
            },
            Expr::BinaryOp { left, op: BinaryOperator::Arrow | BinaryOperator::LongArrow, right } => {
                match (self.operand(left)?, self.operand(right)?) {
                    (Operand::Member(path), Operand::Fixed(RowValue::Text(name))) => Ok(below(path, &name)),
                    _ => part("-> without the name of a field"),
                }
            }
            Expr::Function(function) => self.called(function),
            _ => Err(refusal(of)),
        }
    }

    fn named(&self, names: &[Ident]) -> Operand {
        let mut path: Vec<String> = names.iter().map(|name| name.value.clone()).collect();
        if let [name] = path.as_slice()
            && let Some((_, own)) = self.columns.iter().find(|(own, _)| own.eq_ignore_ascii_case(name))
        {
            return own.clone();
        }
        let is_table = |name: &String| self.tables.iter().any(|own| own.eq_ignore_ascii_case(name));
        if path.len() > 1 && path.first().is_some_and(is_table) {
            path.remove(0);
        }
        Operand::Member(path)
    }

    fn called(&self, function: &Function) -> Result<Operand> {
        let name = function.name.to_string().to_ascii_lowercase();
        let is_plain =
            function.over.is_none() && function.filter.is_none() && function.within_group.is_empty();
        let arguments = arguments(&function.args).filter(|_| is_plain);
        let Some(arguments) = arguments else { return Err(UnsupportedSql::Function(name)) };
        let now = Operand::Fixed(RowValue::Moment(self.now));
        match (name.as_str(), arguments.as_slice()) {
            ("now" | "current_timestamp", []) => Ok(now),
            ("current_date", []) => Ok(settled(now, vec![TimeShift::Day])),
            ("datetime" | "date", [of, moves @ ..]) => {
                let mut read = moves.iter().map(|own| self.moved(own)).collect::<Result<Vec<TimeShift>>>()?;
                read.extend((name == "date").then_some(TimeShift::Day));
                let of = match self.operand(of)? {
                    Operand::Fixed(RowValue::Text(text)) if text.eq_ignore_ascii_case("now") => now,
                    of => of,
                };
                Ok(settled(of, read))
            }
            ("json_extract", [of, path]) => match (self.operand(of)?, self.operand(path)?) {
                (Operand::Member(own), Operand::Fixed(RowValue::Text(path))) if path.starts_with("$.") => {
                    Ok(below(own, path.trim_start_matches("$.")))
                }
                _ => part("a json_extract() without the name of a field"),
            },
            _ => Err(UnsupportedSql::Function(name)),
        }
    }

    fn moved(&self, own: &Expr) -> Result<TimeShift> {
        match self.operand(own)? {
            Operand::Fixed(RowValue::Text(text)) => TimeShift::read(&text).ok_or(UnsupportedSql::Move(text)),
            _ => part("a time that is moved by no quoted text"),
        }
    }
}

/// Computes a time at once if it needs no record.
fn settled(of: Operand, moves: Vec<TimeShift>) -> Operand {
    match of {
        Operand::Fixed(value) => Operand::Fixed(TimeShift::apply(&moves, &value)),
        of => Operand::Time(Box::new(of), moves),
    }
}

fn below(mut path: Vec<String>, names: &str) -> Operand {
    let names = names.trim_start_matches("$.");
    path.extend(names.split('.').map(|name| name.trim_matches('"').to_owned()));
    Operand::Member(path)
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

/// Returns the sides of a chain of the same `AND` or `OR`, in order.
fn sides<'a>(asked: &'a Expr, wanted: &BinaryOperator) -> Vec<&'a Expr> {
    let (mut sides, mut at) = (Vec::new(), asked);
    while let Expr::BinaryOp { left, op, right } = at
        && op == wanted
    {
        sides.push(&**right);
        at = left;
    }
    sides.push(at);
    sides.reverse();
    sides
}

fn comparison(sign: &BinaryOperator) -> Option<ComparisonSign> {
    match sign {
        BinaryOperator::Eq => Some(ComparisonSign::Equal),
        BinaryOperator::Lt => Some(ComparisonSign::Less),
        BinaryOperator::LtEq => Some(ComparisonSign::AtMost),
        BinaryOperator::Gt => Some(ComparisonSign::More),
        BinaryOperator::GtEq => Some(ComparisonSign::AtLeast),
        _ => None,
    }
}

fn fixed(value: &SqlValue) -> Result<RowValue> {
    match value {
        SqlValue::Null => Ok(RowValue::Null),
        SqlValue::Boolean(own) => Ok(RowValue::Number(f64::from(u8::from(*own)))),
        SqlValue::SingleQuotedString(text) => Ok(RowValue::Text(text.clone())),
        SqlValue::Number(number, false) => match number.parse() {
            Ok(number) => Ok(RowValue::Number(number)),
            Err(_) => part(format!("the number {number}")),
        },
        SqlValue::Placeholder(name) => Err(UnsupportedSql::Parameter(name.clone())),
        _ => part("a value that is no number and no text in single quotes"),
    }
}

fn arguments(own: &FunctionArguments) -> Option<Vec<&Expr>> {
    match own {
        FunctionArguments::None => Some(Vec::new()),
        FunctionArguments::List(list) if list.clauses.is_empty() && list.duplicate_treatment.is_none() => {
            let plain = list.args.iter().map(|own| match own {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(own)) => Some(own),
                _ => None,
            });
            plain.collect()
        }
        _ => None,
    }
}

/// Returns the message about an unsupported expression.
fn refusal(of: &Expr) -> UnsupportedSql {
    let what = match of {
        Expr::Function(function) => {
            return UnsupportedSql::Function(function.name.to_string().to_ascii_lowercase());
        }
        Expr::BinaryOp { op, .. } => format!("the operator {op}"),
        Expr::UnaryOp { op, .. } => format!("the operator {op}"),
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::In { .. } => "a query within the query".to_owned(),
        Expr::Case { .. } => "CASE".to_owned(),
        Expr::Cast { .. } | Expr::Convert { .. } => "CAST".to_owned(),
        Expr::Interval(_) => "INTERVAL; datetime('now', '-7 days') is a time ago".to_owned(),
        Expr::SimilarTo { .. } | Expr::RLike { .. } => "a regular expression".to_owned(),
        Expr::Value(_) => "a value where a condition should be".to_owned(),
        Expr::Collate { .. } => "COLLATE".to_owned(),
        _ => "an expression that is no comparison and no field".to_owned(),
    };
    UnsupportedSql::Part(what)
}
