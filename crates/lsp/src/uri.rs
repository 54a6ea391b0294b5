//! Addresses of documents: `file:` URIs and paths.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, by its text alone: links are not followed. Files are compared in this form.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            Component::ParentDir if out.has_root() => {}
            _ => out.push(part),
        }
    }
    out
}

/// The normal path of a document. An address that is no file stands for itself.
pub(crate) fn path(uri: &str) -> PathBuf {
    let Some(rest) = uri.strip_prefix("file://") else { return PathBuf::from(uri) };
    let path = &rest[rest.find('/').unwrap_or(0)..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while at < path.len() {
        let byte = path.as_bytes()[at];
        let escaped = path.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let value = escaped.filter(|_| byte == b'%');
        bytes.push(value.unwrap_or(byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `/C:/x` is the path `C:/x` where drives have letters.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    normal(Path::new(if is_drive { &path[1..] } else { &path }))
}

/// The address of a file.
pub(crate) fn uri(path: &Path) -> String {
    let text = normal(path).display().to_string().replace('\\', "/");
    let mut out = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths() {
        assert_eq!(path("file:///a/b%20c.pml"), Path::new("/a/b c.pml"));
        assert_eq!(path("file://host/a%"), Path::new("/a%"));
        assert_eq!(path("untitled:1"), Path::new("untitled:1"));
        assert_eq!(path("file:///a/b/../c.pml"), Path::new("/a/c.pml"));
        assert_eq!(uri(Path::new("/a/b/./../c.h")), "file:///a/c.h");
        assert_eq!(uri(Path::new("/a/b c.pml")), "file:///a/b%20c.pml");
        assert_eq!(path(&uri(Path::new("/ü/(x)"))), Path::new("/ü/(x)"));
    }

    #[test]
    fn paths_have_one_form() {
        for (path, expected) in
            [("/a/./b/../c", "/a/c"), ("../a", "../a"), ("a/../../b", "../b"), ("/../a", "/a"), ("./a", "a")]
        {
            assert_eq!(normal(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
