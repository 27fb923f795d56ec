//! A disk or a machine that passes most calls on to another. The library's unit tests and the benches use it, too.

/// In `impl Disk for …` or `impl Machine for …`: passes the named calls on to another one.
macro_rules! passed_on {
    ($this:ident => $disk:expr; $($call:ident)*) => { $(passed_on!(@$call $this $disk);)* };
    (@list $this:ident $disk:expr) => {
        fn list(&$this, folder: &Path) -> io::Result<Vec<Item>> { $disk.list(folder) }
    };
    (@look $this:ident $disk:expr) => {
        fn look(&$this, path: &Path) -> io::Result<Item> { $disk.look(path) }
    };
    (@real_path $this:ident $disk:expr) => {
        fn real_path(&$this, path: &Path) -> io::Result<PathBuf> { $disk.real_path(path) }
    };
    (@read $this:ident $disk:expr) => {
        fn read(&$this, file: &Path, from: u64, limit: Option<u64>) -> io::Result<(Vec<u8>, Generation)> {
            $disk.read(file, from, limit)
        }
    };
    (@create $this:ident $disk:expr) => {
        fn create(&$this, file: &Path, mode: u32) -> io::Result<Box<dyn WritableFile + '_>> {
            $disk.create(file, mode)
        }
    };
    (@append $this:ident $disk:expr) => {
        fn append(&$this, file: &Path) -> io::Result<Box<dyn WritableFile + '_>> { $disk.append(file) }
    };
    (@blank $this:ident $disk:expr) => {
        fn blank(&$this, file: &Path, len: u64) -> io::Result<()> { $disk.blank(file, len) }
    };
    (@make_folder $this:ident $disk:expr) => {
        fn make_folder(&$this, folder: &Path, mode: u32) -> io::Result<()> { $disk.make_folder(folder, mode) }
    };
    (@open_folder $this:ident $disk:expr) => {
        fn open_folder(&$this, folder: &Path) -> io::Result<Box<dyn WritableFile + '_>> { $disk.open_folder(folder) }
    };
    (@link $this:ident $disk:expr) => {
        fn link(&$this, file: &Path, name: &Path) -> io::Result<()> { $disk.link(file, name) }
    };
    (@rename $this:ident $disk:expr) => {
        fn rename(&$this, from: &Path, to: &Path) -> io::Result<()> { $disk.rename(from, to) }
    };
    (@rename_new $this:ident $disk:expr) => {
        fn rename_new(&$this, from: &Path, to: &Path) -> io::Result<()> { $disk.rename_new(from, to) }
    };
    (@exchange $this:ident $disk:expr) => {
        fn exchange(&$this, one: &Path, other: &Path) -> io::Result<()> { $disk.exchange(one, other) }
    };
    (@remove $this:ident $disk:expr) => {
        fn remove(&$this, file: &Path) -> io::Result<()> { $disk.remove(file) }
    };
    (@remove_folder $this:ident $disk:expr) => {
        fn remove_folder(&$this, folder: &Path) -> io::Result<()> { $disk.remove_folder(folder) }
    };
    (@sync_folder $this:ident $disk:expr) => {
        fn sync_folder(&$this, folder: &Path) -> io::Result<()> { $disk.sync_folder(folder) }
    };
    (@now $this:ident $machine:expr) => {
        fn now(&$this) -> Moment { $machine.now() }
    };
    (@monotonic $this:ident $machine:expr) => {
        fn monotonic(&$this) -> Duration { $machine.monotonic() }
    };
    (@sleep $this:ident $machine:expr) => {
        fn sleep(&$this, time: Duration) { $machine.sleep(time) }
    };
    (@own_process $this:ident $machine:expr) => {
        fn own_process(&$this) -> u32 { $machine.own_process() }
    };
    (@random $this:ident $machine:expr) => {
        fn random(&$this) -> [u8; 16] { $machine.random() }
    };
    (@process $this:ident $machine:expr) => {
        fn process(&$this, number: i32) -> ProcessState { $machine.process(number) }
    };
    (@flock $this:ident $disk:expr) => {
        fn flock(&$this, path: &Path, create: Option<u32>) -> io::Result<Option<Box<dyn Flock + '_>>> {
            $disk.flock(path, create)
        }
    };
}
pub(crate) use passed_on;
