//! Names of trail files: after the model and the property, in the current directory. A trail of another model is never
//! replaced, and `replay` finds the newest trail of its model.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::files::{self, is_standard};

/// The ending of trail files.
const ENDING: &str = ".trail.json";
/// Characters of a property in a file name.
const LONG: usize = 40;
/// Names that are tried if others are taken by trails of other models.
const ATTEMPTS: usize = 1000;

/// The part of a name that says which run of the model the trail is.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The property; none for safety.
    pub property: Option<&'a str>,
    /// The number of the error, from 1 on.
    pub number: usize,
}

/// The name for a new trail of a model: `MODEL.PROPERTY.trail.json`, without `PROPERTY` for safety, and with a number for
/// the second and later errors. If another model has a trail of that name, the name of the folder precedes.
pub fn fresh(model: &Path, part: Part<'_>) -> PathBuf {
    let stem = stem(model);
    let folder = model.parent().and_then(Path::file_name).map(|name| format!("{}-{stem}", name.to_string_lossy()));
    let stems = std::iter::once(stem.clone()).chain(folder).chain((2..ATTEMPTS).map(|n| format!("{stem}-{n}")));
    let mut names = stems.map(|stem| PathBuf::from(part.name(&stem)));
    names.find(|name| !is_of_other(name, model)).unwrap_or_else(|| PathBuf::from(part.name(&stem)))
}

/// The name for one of several trails where the user has named the first one.
pub fn beside(named: &Path, part: Part<'_>) -> PathBuf {
    let name = named.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(ENDING).or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    named.with_file_name(part.name(stem))
}

/// The newest trail of a model in the current directory.
pub fn newest(model: &Path) -> Option<PathBuf> {
    let stem = stem(model);
    let mut found: Option<(SystemTime, PathBuf)> = None;
    for (time, path) in files::here() {
        let name = path.to_string_lossy();
        if !name.ends_with(ENDING) || !name.contains(&stem) {
            continue;
        }
        // Of several with the same time, the first one has the shortest name.
        let rank = |time: SystemTime, path: &Path| (time, Reverse(path.as_os_str().len()));
        let newer = found.as_ref().is_none_or(|(best, other)| rank(*best, other) < rank(time, &path));
        if newer && model_of(&path).is_some_and(|of| is_same(&of, model)) {
            found = Some((time, path));
        }
    }
    found.map(|(_, path)| path)
}

impl Part<'_> {
    fn name(self, stem: &str) -> String {
        let property = self.property.map(|property| format!(".{}", plain(property))).unwrap_or_default();
        let number = if self.number > 1 { format!(".{}", self.number) } else { String::new() };
        format!("{stem}{property}{number}{ENDING}")
    }
}

/// The name of a model without its folder and its ending.
fn stem(model: &Path) -> String {
    let model = if is_standard(model) { Path::new("stdin") } else { model };
    model.file_stem().unwrap_or(model.as_os_str()).to_string_lossy().into_owned()
}

/// A property as part of a file name. Operators of formulas become words, so that different formulas rarely get the same
/// name.
fn plain(property: &str) -> String {
    let mut text = property.to_string();
    for (operator, word) in [
        ("[]", " G "),
        ("<>", " F "),
        ("->", " implies "),
        ("&&", " and "),
        ("||", " or "),
        ("==", " is "),
        ("!", " not "),
    ] {
        text = text.replace(operator, word);
    }
    let kept = |c: char| if c.is_alphanumeric() || c == '_' { c } else { ' ' };
    let words: String = text.chars().map(kept).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join("-");
    let name: String = name.chars().take(LONG).collect();
    if name.is_empty() { "property".to_string() } else { name }
}

/// Whether a file is the trail of another model. A model that no longer exists needs its trail no longer.
fn is_of_other(path: &Path, model: &Path) -> bool {
    model_of(path).is_some_and(|of| !is_same(&of, model) && Path::new(&of).exists())
}

/// The model of a trail file, as the file says.
fn model_of(path: &Path) -> Option<String> {
    let head = files::head(path).ok()?;
    let text = String::from_utf8_lossy(&head);
    if let Some(line) = text.lines().find_map(|line| line.strip_prefix("  \"model\": ")) {
        return serde_json::from_str(line.trim_end_matches(',')).ok();
    }
    // Trails of other writers are on one line.
    let bytes = files::read(path, files::MAX_TRAIL_BYTES).ok()?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    value.get("kripke-trail")?;
    Some(value.get("model")?.as_str()?.to_string())
}

/// Whether two names are of the same file.
fn is_same(of: &str, model: &Path) -> bool {
    Path::new(of) == model || files::is_same(Path::new(of), model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_model_and_the_property() {
        let safety = Part { property: None, number: 1 };
        for (model, trail) in [
            ("second.pml", "second.trail.json"),
            ("a/b.c.pml", "b.c.trail.json"),
            ("noext", "noext.trail.json"),
            ("-", "stdin.trail.json"),
        ] {
            assert_eq!(fresh(Path::new(model), safety), Path::new(trail));
        }
        for (property, name) in [
            ("live", "m.live.trail.json"),
            ("[] (p -> <> q)", "m.G-p-implies-F-q.trail.json"),
            ("[] !p", "m.G-not-p.trail.json"),
            ("../x", "m.x.trail.json"),
            ("()", "m.property.trail.json"),
        ] {
            assert_eq!(fresh(Path::new("m.pml"), Part { property: Some(property), number: 1 }), Path::new(name));
        }
        let third = Part { number: 3, ..safety };
        assert_eq!(fresh(Path::new("m.pml"), third), Path::new("m.3.trail.json"));
        assert_eq!(beside(Path::new("out/x.json"), third), Path::new("out/x.3.trail.json"));
    }
}
