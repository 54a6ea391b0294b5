//! Reading files, with bounds. No other part of the library opens a file.

use std::collections::HashMap;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kripke_lang::limits::MAX_FILE_BYTES;

/// The name that stands for standard input or standard output.
const STANDARD: &str = "-";

/// A source of files.
pub trait Files: Sync {
    /// The content of a file that the user named.
    fn named(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The content of a file that another file includes.
    fn included(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// The files of this machine. A file that the user named may be standard input (`-`) or a pipe.
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

impl Files for Disk {
    fn named(&self, path: &Path) -> io::Result<Vec<u8>> {
        read(path, MAX_FILE_BYTES)
    }

    fn included(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_regular(path, MAX_FILE_BYTES)
    }
}

/// Texts in memory, by name.
#[derive(Clone, Default, Debug)]
pub struct Texts(pub HashMap<PathBuf, String>);

impl Files for Texts {
    fn named(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).map(|text| text.clone().into_bytes()).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn included(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.named(path)
    }
}

/// Whether a name stands for standard input or standard output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// The content of a file that the user named, or of standard input if it is `-`. A pipe will do, too: it is read once, and
/// remembered.
pub fn read(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    static PIPES: Mutex<Option<HashMap<PathBuf, Vec<u8>>>> = Mutex::new(None);
    let pipe = is_standard(path) || is_pipe(fs::metadata(path)?.file_type());
    if !pipe {
        return read_regular(path, most);
    }
    let mut pipes = PIPES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = pipes.as_ref().and_then(|known| known.get(path)) {
        return Ok(bytes.clone());
    }
    let bytes = if is_standard(path) { bounded(io::stdin().lock(), most) } else { bounded(File::open(path)?, most) }?;
    pipes.get_or_insert_default().insert(path.to_path_buf(), bytes.clone());
    Ok(bytes)
}

/// The content of a named file as text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let not_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not text in UTF-8");
    String::from_utf8(read(path, MAX_FILE_BYTES)?).map_err(not_text)
}

/// The content of a regular file. Nothing else is waited for: a pipe, a device.
pub fn read_regular(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    regular(&fs::metadata(path)?)?;
    let file = open(path)?;
    let found = file.metadata()?;
    regular(&found)?;
    if found.len() > most as u64 {
        return Err(too_large(most));
    }
    bounded(file, most)
}

/// Opens a file for reading. A file that has become a pipe meanwhile does not block.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}

fn bounded(from: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: usize) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, format!("it is too large: over {} MiB", most >> 20))
}

/// Refuses everything but regular files, with the reason.
pub fn regular(found: &Metadata) -> io::Result<()> {
    let refused = |what: &str| Err(io::Error::new(ErrorKind::InvalidInput, what.to_string()));
    match found.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => refused("it is a directory"),
        kind if kind.is_symlink() => refused("it is a link"),
        kind if is_pipe(kind) => refused("it is a pipe, not a regular file"),
        _ => refused("it is a device, not a regular file"),
    }
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

/// An I/O error in a user's words.
pub fn explain(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_string(),
        ErrorKind::PermissionDenied => "permission denied".to_string(),
        ErrorKind::IsADirectory => "it is a directory".to_string(),
        _ => error.to_string(),
    }
}
