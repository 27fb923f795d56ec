//! Reads secret values from standard input: an argument would show them to every user of the machine.

use std::io::Read;

use super::{Failure, Result};
use crate::model::Snapshot;
use crate::store::erase::SecretValues;
use crate::usecase::value_holders::{SHORTEST_VALUE, ValueHolders};

/// The options that read values.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ValueOptions {
    /// `-`: all of standard input, less one line end, is the value.
    #[arg(long, value_name = "-", value_parser = ["-"], conflicts_with = "values_from")]
    pub value_from: Option<String>,
    /// `-`: standard input has several values with NUL between them.
    #[arg(long, value_name = "-", value_parser = ["-"])]
    pub values_from: Option<String>,
}

impl ValueOptions {
    /// True if they read values.
    pub fn is_given(&self) -> bool {
        self.value_from.is_some() || self.values_from.is_some()
    }

    /// Reads the values. Returns none if no option asks for them.
    pub fn read(&self) -> Result<Vec<String>> {
        if !self.is_given() {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| refused(format!("standard input can't be read: {error}.")))?;
        let text = String::from_utf8(bytes).map_err(|_| refused("the value is not UTF-8."))?;
        let own = |text: &str| {
            let end = ["\r\n", "\n"].into_iter().find_map(|end| text.strip_suffix(end));
            end.unwrap_or(text).to_owned()
        };
        let all: Vec<String> = match self.values_from {
            Some(_) => text.split('\0').map(own).filter(|own| !own.is_empty()).collect(),
            None => vec![own(&text)],
        };
        match all.iter().map(|own| own.trim().len()).find(|len| *len < SHORTEST_VALUE) {
            Some(len) => Err(refused(format!(
                "a value has {len} bytes without the space around it: under {SHORTEST_VALUE}, it is in other texts by chance."
            ))),
            None if all.is_empty() => Err(refused("standard input has no value.")),
            None => Ok(all),
        }
    }
}

/// Refuses values that many memories hold. Returns the memories that hold them.
pub fn holders(snapshot: &Snapshot, values: &SecretValues) -> Result<ValueHolders> {
    let holders = ValueHolders::of(snapshot, values);
    holders.refusal().map_or(Ok(()), |why| Err(refused(why)))?;
    Ok(holders)
}

fn refused(why: impl std::fmt::Display) -> Failure {
    Failure::refused(format!("{why} Nothing was changed."))
}
