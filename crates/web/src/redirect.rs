//! A file that leads a browser to the page. Arguments of programs can be read by all users of a machine, so the token is not one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that only its owner can read. It is removed when this is dropped.
#[derive(Debug)]
pub struct Redirect(NamedTempFile);

impl Redirect {
    /// A file that leads to an address of the page.
    pub fn new(address: &str) -> io::Result<Redirect> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_dir());
        let folder = runtime.unwrap_or_else(std::env::temp_dir);
        let mut builder = tempfile::Builder::new();
        builder.prefix("kripke-ui-").suffix(".html");
        // The names of these files are random, and only their owner can read them.
        let mut file = builder.tempfile_in(folder)?;
        let address = address.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        write!(
            file,
            "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0;url={address}\">\n\
             <title>Kripke</title>\n<a href=\"{address}\">Kripke</a>\n"
        )?;
        file.flush()?;
        Ok(Redirect(file))
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
