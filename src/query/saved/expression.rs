//! From expressions of SQL to conditions and operands.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, InTarget,
    UnaryOperator, Value as SqlValue,
};

use super::refusal::Unsupported;
use super::select::{Comparison, Condition, Like, Operand};
use super::times::Move;
use super::value::Value;
use crate::model::Moment;

type Result<T> = std::result::Result<T, Unsupported>;

/// What names mean in a query.
pub struct Names {
    /// Names that may stand before that of a member: those of the table.
    tables: Vec<String>,
    /// Other names of what is selected.
    columns: Vec<(String, Operand)>,
    now: Moment,
}

fn part<T>(what: impl Into<String>) -> Result<T> {
    Err(Unsupported::Part(what.into()))
}

impl Names {
    /// The names of a table; `now` is the time of the query.
    pub fn new(tables: impl Iterator<Item = String>, now: Moment) -> Names {
        Names { tables: tables.collect(), columns: Vec::new(), now }
    }

    /// Gives what is selected another name.
    pub fn call(&mut self, name: String, operand: Operand) {
        self.columns.push((name, operand));
    }

    /// What an expression asks of a record. The sides of `AND` and `OR` are walked in a loop: however many
    /// there are, they nest no deeper than their parentheses.
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
                let sign = comparison(op).unwrap_or(Comparison::Equal);
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

    /// `BETWEEN`, `IN` and `LIKE`, which may have a NOT of their own.
    fn of_several(&self, asked: &Expr) -> Result<Condition> {
        let (own, is_negated) = match asked {
            Expr::Between { expr, negated, low, high } => {
                let (of, low, high) = (self.operand(expr)?, self.operand(low)?, self.operand(high)?);
                let low = Condition::Compare(of.clone(), Comparison::AtLeast, low);
                (Condition::All(vec![low, Condition::Compare(of, Comparison::AtMost, high)]), negated)
            }
            Expr::In { expr, target: InTarget::List(list), negated, global: false } => {
                let of = self.operand(expr)?;
                let any = list
                    .iter()
                    .map(|other| Ok(Condition::Compare(of.clone(), Comparison::Equal, self.operand(other)?)));
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
        let number = Operand::Fixed(Value::Number(number));
        Ok(Condition::Compare(self.operand(of)?, Comparison::Equal, number))
    }

    fn pattern(&self, pattern: &Expr) -> Result<Like> {
        let Operand::Fixed(Value::Text(text)) = self.operand(pattern)? else {
            return part("a LIKE without a quoted text");
        };
        match Like::new(&text) {
            Some(like) => Ok(like),
            None => part(format!("a LIKE of more than {} characters", Like::LONGEST)),
        }
    }

    /// What an expression is the value of.
    pub fn operand(&self, of: &Expr) -> Result<Operand> {
        match of {
            Expr::Nested(inner) => self.operand(inner),
            Expr::Identifier(name) => Ok(self.named(std::slice::from_ref(name))),
            Expr::CompoundIdentifier(names) => Ok(self.named(names)),
            Expr::Value(value) => fixed(&value.value).map(Operand::Fixed),
            Expr::TypedString(typed) => fixed(&typed.value.value).map(Operand::Fixed),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match self.operand(expr)? {
                Operand::Fixed(Value::Number(number)) => Ok(Operand::Fixed(Value::Number(-number))),
                _ => part("arithmetic (-)"),
            },
            Expr::BinaryOp { left, op: BinaryOperator::Arrow | BinaryOperator::LongArrow, right } => {
                match (self.operand(left)?, self.operand(right)?) {
                    (Operand::Member(path), Operand::Fixed(Value::Text(name))) => Ok(below(path, &name)),
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
        let Some(arguments) = arguments else { return Err(Unsupported::Function(name)) };
        let now = Operand::Fixed(Value::Moment(self.now));
        match (name.as_str(), arguments.as_slice()) {
            ("now" | "current_timestamp", []) => Ok(now),
            ("current_date", []) => Ok(settled(now, vec![Move::Day])),
            ("datetime" | "date", [of, moves @ ..]) => {
                let mut read = moves.iter().map(|own| self.moved(own)).collect::<Result<Vec<Move>>>()?;
                read.extend((name == "date").then_some(Move::Day));
                let of = match self.operand(of)? {
                    Operand::Fixed(Value::Text(text)) if text.eq_ignore_ascii_case("now") => now,
                    of => of,
                };
                Ok(settled(of, read))
            }
            ("json_extract", [of, path]) => match (self.operand(of)?, self.operand(path)?) {
                (Operand::Member(own), Operand::Fixed(Value::Text(path))) if path.starts_with("$.") => {
                    Ok(below(own, path.trim_start_matches("$.")))
                }
                _ => part("a json_extract() without the name of a field"),
            },
            _ => Err(Unsupported::Function(name)),
        }
    }

    fn moved(&self, own: &Expr) -> Result<Move> {
        match self.operand(own)? {
            Operand::Fixed(Value::Text(text)) => Move::read(&text).ok_or(Unsupported::Move(text)),
            _ => part("a time that is moved by no quoted text"),
        }
    }
}

/// A time that needs no record is known at once.
fn settled(of: Operand, moves: Vec<Move>) -> Operand {
    match of {
        Operand::Fixed(value) => Operand::Fixed(Move::apply(&moves, &value)),
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

/// The sides of a chain of the same `AND` or `OR`, in order.
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

fn comparison(sign: &BinaryOperator) -> Option<Comparison> {
    match sign {
        BinaryOperator::Eq => Some(Comparison::Equal),
        BinaryOperator::Lt => Some(Comparison::Less),
        BinaryOperator::LtEq => Some(Comparison::AtMost),
        BinaryOperator::Gt => Some(Comparison::More),
        BinaryOperator::GtEq => Some(Comparison::AtLeast),
        _ => None,
    }
}

fn fixed(value: &SqlValue) -> Result<Value> {
    match value {
        SqlValue::Null => Ok(Value::Null),
        SqlValue::Boolean(own) => Ok(Value::Number(f64::from(u8::from(*own)))),
        SqlValue::SingleQuotedString(text) => Ok(Value::Text(text.clone())),
        SqlValue::Number(number, false) => match number.parse() {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => part(format!("the number {number}")),
        },
        SqlValue::Placeholder(name) => Err(Unsupported::Parameter(name.clone())),
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

/// What is said of an expression that is not supported.
fn refusal(of: &Expr) -> Unsupported {
    let what = match of {
        Expr::Function(function) => {
            return Unsupported::Function(function.name.to_string().to_ascii_lowercase());
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
    Unsupported::Part(what)
}
