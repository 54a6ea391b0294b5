//! The cache of compiled kernels: files named by a hash of their text, which is in the file, too.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Cached files beyond this number are removed, the oldest first.
const MOST_FILES: usize = 256;

/// What is in the cache for this key, or what `make` makes. A cache that can't be read or written is no error.
pub(crate) fn get_or_make<E>(
    directory: Option<&Path>,
    key: &str,
    make: impl FnOnce() -> Result<Vec<u8>, E>,
) -> Result<Vec<u8>, E> {
    let Some(directory) = directory else { return make() };
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let file = directory.join(format!("{:016x}", hasher.finish()));
    if let Some(value) = fs::read(&file).ok().and_then(|bytes| value_of(&bytes, key).map(<[u8]>::to_vec)) {
        return Ok(value);
    }
    let value = make()?;
    write(directory, &file, key, &value);
    Ok(value)
}

/// The value in a file, if the file is complete and has this key. Two keys with the same hash are told apart.
fn value_of<'f>(bytes: &'f [u8], key: &str) -> Option<&'f [u8]> {
    let (sizes, rest) = bytes.split_first_chunk::<16>()?;
    let size = |at: usize| Some(u64::from_le_bytes(*sizes[at..].first_chunk()?));
    let (stored, value) = rest.split_at_checked(usize::try_from(size(0)?).ok()?)?;
    (stored == key.as_bytes() && value.len() as u64 == size(8)?).then_some(value)
}

/// Writes a file under another name first, so that no reader sees a part of it.
fn write(directory: &Path, file: &Path, key: &str, value: &[u8]) {
    let sizes = [key.len() as u64, value.len() as u64].map(u64::to_le_bytes).concat();
    let bytes = [&sizes[..], key.as_bytes(), value].concat();
    let part = file.with_extension(std::process::id().to_string());
    let written = fs::create_dir_all(directory).and_then(|()| fs::write(&part, bytes));
    if written.and_then(|()| fs::rename(&part, file)).is_err() {
        let _ = fs::remove_file(&part);
    }
    prune(directory);
}

fn prune(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let age = |path: PathBuf| Some((fs::metadata(&path).and_then(|data| data.modified()).ok()?, path));
    let mut files: Vec<_> = entries.flatten().filter_map(|entry| age(entry.path())).collect();
    files.sort();
    for (_, old) in &files[..files.len().saturating_sub(MOST_FILES)] {
        let _ = fs::remove_file(old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_made_once_and_damaged_files_are_ignored() {
        let directory = std::env::temp_dir().join(format!("kripke-kernels-{}", std::process::id()));
        let make = |value: &[u8]| get_or_make(Some(&directory), "key", || Ok::<_, ()>(value.to_vec()));
        assert_eq!(make(b"first"), Ok(b"first".to_vec()));
        assert_eq!(make(b"second"), Ok(b"first".to_vec()), "it was in the cache");
        let file = fs::read_dir(&directory).expect("a directory").next().expect("a file").expect("a file").path();
        let bytes = fs::read(&file).expect("a file");
        fs::write(&file, &bytes[..bytes.len() - 1]).expect("a file");
        assert_eq!(make(b"third"), Ok(b"third".to_vec()), "the file was cut off");
        assert_eq!(value_of(&fs::read(&file).expect("a file"), "another"), None, "a file of another key");
        let failed = get_or_make(Some(&directory), "other", || Err::<Vec<u8>, _>("no compiler"));
        assert_eq!(failed, Err("no compiler"));
        let _ = fs::remove_dir_all(directory);
    }
}
