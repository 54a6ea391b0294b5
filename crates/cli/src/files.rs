//! Files that the program writes: whole or not at all. Reading is [`kripke::files`].

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

pub use kripke::files::{explain, is_standard, read, read_text};
use kripke::files::{open, regular};
use kripke::spin::trail::is_trail;
use kripke_lang::limits::MAX_FILE_BYTES;
use kripke_report::escape::visible;

use crate::exit::Failure;
use crate::output;

/// Limit on the bytes of a trail file.
pub const MAX_TRAIL_BYTES: usize = 1 << 30;
/// Bytes of an existing file that decide whether Kripke wrote it.
const HEAD: u64 = 4 << 10;
/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;
/// The ending of ITF traces.
pub const ITF: &str = ".itf.json";
/// Attempts to find a name for a temporary file.
const ATTEMPTS: u32 = 100;

/// The kind of a file that Kripke writes and recognises by its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A trail file or the ITF trace beside it.
    Trail,
    /// A trail of SPIN.
    SpinTrail,
    /// A stand-in for a verifier of SPIN.
    StandIn,
    /// Nothing that exists is replaced.
    Never,
    /// The table of `kripke bench --csv`.
    Table,
    /// The JUnit report of `kripke check --junit`.
    Junit,
    /// The SARIF report of `kripke check --sarif`.
    Sarif,
    /// The log of `kripke check --log`.
    Log,
    /// A picture of `kripke plot`.
    Plot,
    /// A DVE model with a property, of `kripke combine`.
    Combined,
    /// A picture, a graph or a listing of `kripke graph` and `kripke list`.
    Picture,
}

/// Which existing file may be replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replace {
    /// Only a file of this kind that Kripke has written, unless the user adds `--force`.
    Ours(Kind),
    /// Only a file of this kind that Kripke has written. SPIN has no `--force`.
    OnlyOurs(Kind),
    /// Any regular file.
    Any,
}

impl Replace {
    pub fn new(kind: Kind, force: bool) -> Replace {
        if force { Replace::Any } else { Replace::Ours(kind) }
    }
}

/// Checks in advance whether `write` can succeed.
pub fn may_write(path: &Path, replace: Replace) -> io::Result<()> {
    if is_standard(path) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(folder)?;
    existing(path, replace).map(|_| ())
}

/// The existing file, if it may be replaced. A link is refused.
fn existing(path: &Path, replace: Replace) -> io::Result<Option<Metadata>> {
    let found = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    regular(&found)?;
    let (kind, advice) = match replace {
        Replace::Any => return Ok(Some(found)),
        Replace::Ours(kind) => (kind, "; --force replaces it"),
        Replace::OnlyOurs(kind) => (kind, ""),
    };
    if found.len() == 0 || kind.wrote(path)? {
        return Ok(Some(found));
    }
    Err(io::Error::new(ErrorKind::AlreadyExists, format!("{}{advice}", kind.refusal())))
}

impl Kind {
    /// The reason why a file is kept.
    fn refusal(self) -> &'static str {
        match self {
            // Kripke may have written the file: not every format tells it, and a user may want no file replaced.
            Kind::Picture | Kind::Never => "there is such a file already",
            _ => "there is such a file, not written by Kripke",
        }
    }

    /// Whether Kripke has written the file, by its content.
    fn wrote(self, path: &Path) -> io::Result<bool> {
        let most = if self == Kind::Combined { MAX_FILE_BYTES as u64 } else { HEAD };
        let mut bytes = Vec::new();
        open(path)?.take(most).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(match self {
            Kind::Trail => ["{\n  \"kripke-trail\": ", "{\n  \"#meta\": {\"format\":\"ITF\","]
                .iter()
                .any(|beginning| text.starts_with(beginning)),
            Kind::Never => false,
            Kind::SpinTrail => is_trail(&text),
            // The name `pan.c` belongs to verifiers, so one of SPIN's is replaced, too.
            Kind::StandIn => text.starts_with(crate::spin::MARK) || text.contains("SPIN") || text.contains("Spin"),
            Kind::Table => [crate::bench::CSV_HEADER, kripke_report::survey::table::CSV_HEADER]
                .iter()
                .any(|head| text.starts_with(head)),
            Kind::Junit => text.starts_with(kripke_report::junit::HEAD),
            Kind::Sarif => text.starts_with(kripke_report::sarif::HEAD) && text.contains("\"name\": \"Kripke\""),
            Kind::Log => text.starts_with(kripke_report::run_log::HEAD),
            Kind::Plot => text.starts_with(kripke_report::line_chart::HEAD),
            Kind::Combined => text.contains(crate::combine::MARK),
            Kind::Picture => crate::list::wrote(&text),
        })
    }
}

/// The beginning of a regular file.
pub fn head(path: &Path) -> io::Result<Vec<u8>> {
    regular(&fs::symlink_metadata(path)?)?;
    let mut bytes = Vec::new();
    open(path)?.take(HEAD).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The regular files of the current directory, with the times of their last change.
pub fn here() -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(".").into_iter().flatten().flatten();
    let file = |entry: fs::DirEntry| {
        let time = entry.metadata().ok().filter(Metadata::is_file)?.modified().ok()?;
        Some((time, PathBuf::from(entry.file_name())))
    };
    entries.filter_map(file).collect()
}

/// Whether a file was changed later than another one.
pub fn is_newer(one: &Path, other: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    changed(one).zip(changed(other)).is_some_and(|(one, other)| one > other)
}

/// Whether two names are of the same file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// Writes a file atomically: under a temporary name beside it, then renamed. `-` is standard output. An existing file is replaced
/// only if it is a regular file and `replace` allows it.
pub fn write(path: &Path, replace: Replace, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if output::is_muted() {
        return Ok(());
    }
    if is_standard(path) {
        output::stream(fill);
        return Ok(());
    }
    let found = existing(path, replace)?;
    let (file, temporary) = temporary(path)?;
    let written = fill_file(file, found.as_ref(), fill)
        .and_then(|()| existing(path, replace))
        .and_then(|_| fs::rename(&temporary.0, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary.0);
    }
    written
}

/// Fills a new file, which gets the permissions of the one it replaces.
fn fill_file(
    file: File,
    replaced: Option<&Metadata>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(replaced) = replaced {
        file.set_permissions(replaced.permissions())?;
    }
    let mut out = BufWriter::with_capacity(BUFFER, file);
    fill(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()
}

/// Creates a temporary file beside `path`. It never opens an existing file or follows a link.
fn temporary(path: &Path) -> io::Result<(File, Temporary)> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it is not the name of a file"))?;
    let mut attempt = 0;
    loop {
        let mut name = name.to_os_string();
        name.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, Temporary::new(temporary))),
            Err(e) if e.kind() == ErrorKind::AlreadyExists && attempt < ATTEMPTS => attempt += 1,
            Err(e) => return Err(e),
        }
    }
}

/// The temporary files, which are removed if the program ends before they are renamed.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file, until it is renamed or removed.
struct Temporary(PathBuf);

impl Temporary {
    fn new(path: PathBuf) -> Temporary {
        TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// Removes all temporary files.
pub fn remove_temporary() {
    for path in TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = fs::remove_file(path);
    }
}

/// The trail of SPIN of a model: in the current directory, named as SPIN's verifiers name it.
pub fn spin_trail_name(model: &Path) -> PathBuf {
    let model = if is_standard(model) { Path::new("stdin") } else { model };
    let mut name = model.file_name().unwrap_or(model.as_os_str()).to_os_string();
    name.push(".trail");
    PathBuf::from(name)
}

/// The ITF file beside a trail file.
pub fn itf_name(trail: &Path) -> PathBuf {
    let name = trail.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".trail.json").or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    trail.with_file_name(format!("{stem}{ITF}"))
}

/// The name of a file, with control characters escaped.
pub fn shown(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}

/// The name of a file as an argument in a shell.
pub fn for_shell(path: &Path) -> String {
    let name = shown(path);
    let plain = |c: char| c.is_alphanumeric() || "-_./+,:=@%".contains(c);
    if name.chars().all(plain) { name } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

/// Whether a write failed because of the request, not because of the state of the machine.
pub fn is_refused(error: &io::Error) -> bool {
    use ErrorKind::*;
    let kinds = [NotFound, PermissionDenied, AlreadyExists, InvalidInput, IsADirectory, NotADirectory];
    kinds.contains(&error.kind())
}

/// The failure to write a file that the user named.
pub fn unwritten(path: &Path, error: &io::Error) -> Failure {
    let why = if error.kind() == ErrorKind::NotFound { "there is no such directory" } else { &explain(error) };
    let text = format!("can't write {}: {why}", path.display());
    if is_refused(error) { Failure::BadInput(text) } else { Failure::Unwritten(text) }
}

/// The bytes of this program. None if they can't be read.
#[cfg(all(feature = "mpi", unix))]
pub fn own_program() -> Vec<u8> {
    std::env::current_exe().and_then(fs::read).unwrap_or_default()
}

/// The absolute path of a file that exists.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// A new folder for the files of other programs. It is removed at the end.
pub struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    /// A folder whose name begins like this.
    pub fn new(name: &str) -> io::Result<TemporaryFolder> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("{name}-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(TemporaryFolder { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file in the folder.
    pub fn put(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        fs::write(&path, text)?;
        Ok(path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder of temporary files that stays is no error.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_itf_file_is_beside_its_trail() {
        for (trail, itf) in
            [("second.trail.json", "second.itf.json"), ("out/x.json", "out/x.itf.json"), ("odd", "odd.itf.json")]
        {
            assert_eq!(itf_name(Path::new(trail)), Path::new(itf));
        }
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let temporary = tempfile::TempDir::new().unwrap();
        let dir = temporary.path();
        fs::create_dir_all(dir.join("taken")).unwrap();
        fs::write(dir.join("theirs"), "x").unwrap();
        let ours = Replace::Ours(Kind::Trail);
        let text = |out: &mut dyn Write| out.write_all(b"x");
        assert!(write(&dir.join("taken"), Replace::Any, text).is_err());
        assert!(write(&dir.join("theirs"), ours, text).is_err());
        let full = |out: &mut dyn Write| {
            out.write_all(&[0; 100_000])?;
            Err(io::Error::from(ErrorKind::StorageFull))
        };
        assert!(write(&dir.join("full"), ours, full).is_err());
        write(&dir.join("good"), ours, text).unwrap();
        let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["good", "taken", "theirs"]);
    }
}
