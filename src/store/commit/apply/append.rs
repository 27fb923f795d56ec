//! Lines added at the end of a file.

use std::io;

use super::{Ready, Scene};
use crate::disk::Output;
use crate::model::plan::line_end_for;
use crate::store::commit::CommitError;
use crate::store::commit::vault::make_folders_as;

impl<'a> Scene<'a, '_> {
    /// Adds lines at the end of a file, durably. Where the system fails half-way, what it
    /// wrote is cut off again if nobody wrote behind it. Whether it made the file, whose name
    /// is then not durable yet.
    pub(super) fn append(&mut self, own: &Ready, lines: &[u8]) -> Result<bool, CommitError> {
        let disk = self.host.disk;
        let (mut out, made) = self.open_log(own)?;
        if made {
            self.begin(own);
        }
        let len = out.generation().map_err(own.io("read"))?.len;
        // Lines that came since the files were compared are in no index yet.
        self.carried.derive |= len != own.base.as_ref().map_or(0, |base| base.len() as u64);
        let tail = match len.checked_sub(1) {
            Some(last) => disk.read(&own.path, last, Some(1)).map_err(own.io("read"))?.0,
            None => Vec::new(),
        };
        let bytes = [line_end_for(&tail), lines].concat();
        if let Err(source) = out.write(&bytes) {
            let grown = out.generation().map_or(0, |now| now.len.saturating_sub(len));
            let cut = grown > 0 && grown < bytes.len() as u64 && out.set_len(len).is_ok();
            if grown > 0 && !cut {
                self.begin(own);
            }
            return Err(CommitError::io(&own.path, "written", source));
        }
        self.begin(own);
        out.sync().map_err(own.io("made durable"))?;
        Ok(made)
    }

    /// The file to add lines to, and whether it was made for that.
    fn open_log(&mut self, own: &Ready) -> Result<(Box<dyn Output + 'a>, bool), CommitError> {
        let disk = self.host.disk;
        match disk.append(&own.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            outcome => return Ok((outcome.map_err(own.io("opened"))?, false)),
        }
        make_folders_as(disk, own.folder(), own.folder_mode()).map_err(own.io("made"))?;
        match disk.create(&own.path, own.mode) {
            Ok(out) => Ok((out, true)),
            // Another was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Ok((disk.append(&own.path).map_err(own.io("opened"))?, false))
            }
            Err(source) => {
                if disk.look(&own.path).is_ok() {
                    self.begin(own);
                }
                Err(CommitError::io(&own.path, "made", source))
            }
        }
    }
}
