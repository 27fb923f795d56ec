//! Finds and reads the receipts of a store.

use std::path::PathBuf;

use super::ErasureReceipt;
use crate::disk::{Item, ItemKind};
use crate::store::{CommitError, Vault};

pub(super) const FOLDER: &str = "receipts";

impl Vault<'_> {
    pub fn receipt_path(&self, step: u64) -> PathBuf {
        self.path(FOLDER).join(format!("{step:06}.json"))
    }

    /// Returns the steps that have a receipt, ascending.
    pub fn receipt_steps(&self) -> Result<Vec<u64>, CommitError> {
        let items = self.items(FOLDER)?;
        let files = items.iter().filter(|item| item.kind == ItemKind::File);
        let step = |item: &Item| item.name.to_str()?.strip_suffix(".json")?.parse().ok();
        let mut steps: Vec<u64> = files.filter_map(step).collect();
        steps.sort_unstable();
        Ok(steps)
    }

    /// Returns the receipt of a step. `None` if it has none. Fails if it can't be read, or is the receipt of another
    /// step.
    pub fn receipt(&self, step: u64) -> Result<Option<ErasureReceipt>, CommitError> {
        let path = self.receipt_path(step);
        let Some(bytes) = self.read_own_file(&path)? else { return Ok(None) };
        let read: Result<ErasureReceipt, _> = serde_json::from_slice(&bytes);
        let own = read.map_err(|error| CommitError::unread(&path, error.into()))?;
        match own.step == step {
            true => Ok(Some(ErasureReceipt { receipt: path, ..own })),
            false => Err(CommitError::unread(&path, std::io::Error::other("it is of another step"))),
        }
    }

    /// Returns all receipts, in the order of their steps.
    pub fn receipts(&self) -> Result<Vec<ErasureReceipt>, CommitError> {
        self.receipt_steps()?.into_iter().filter_map(|step| self.receipt(step).transpose()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{RealDisk, write_new};

    #[test]
    fn receipts_are_read_by_their_steps_and_one_of_another_step_is_refused() {
        let (folder, data) = (crate::folder::new(), crate::folder::new());
        let vault = Vault::open(&RealDisk, data.path(), folder.path()).unwrap();
        assert!(vault.receipts().unwrap().is_empty() && vault.receipt(2).unwrap().is_none());
        let put = |name: &str, text: &str| {
            write_new(&vault.path("receipts").join(name), text.as_bytes()).unwrap();
        };
        let of = |step| serde_json::to_string(&ErasureReceipt { step, ..ErasureReceipt::default() }).unwrap();
        put("000010.json", &of(10));
        put("000002.json", &of(2));
        put("notes.json", "{}");
        put("000002.json.new", "");
        let steps: Vec<u64> = vault.receipts().unwrap().iter().map(|own| own.step).collect();
        assert_eq!(steps, [2, 10]);
        assert_eq!(vault.receipt(2).unwrap().unwrap().receipt, vault.receipt_path(2));
        for (text, why) in [(of(10), "another step"), ("{\"step\":11}".into(), "missing field")] {
            std::fs::write(vault.receipt_path(11), text).unwrap();
            let refused = vault.receipts().unwrap_err().to_string();
            assert!(refused.contains("000011.json") && refused.contains(why), "{refused}");
        }
    }
}
