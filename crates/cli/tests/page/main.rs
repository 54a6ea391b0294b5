//! The page: its requests, attacks on it, and its end at any moment.

mod attacks;
mod bounds;
mod client;
mod group;
mod kills;
mod one;

/// A model with an error.
pub const BAD: &str = "byte x; chan c = [1] of {byte};
ltl p { [] (x < 2) }
active proctype A() { do :: c!1; x++ :: x > 0 -> x-- od }
active proctype B() { byte m; do :: c?m; x = x + m od }
";

/// A model whose check takes long.
pub const LONG: &str = "byte a, b, c, d;
active proctype A() { do :: a++ od }
active proctype B() { do :: b++ od }
active proctype C() { do :: c++ od }
active proctype D() { do :: d++ od }
active proctype E() { do :: a == b && c == d -> skip od }
";

/// A model whose check is short.
pub const SHORT: &str = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }\n";

/// A folder with models.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("bad.pml", BAD), ("long.pml", LONG), ("short.pml", SHORT)] {
        std::fs::write(folder.path().join(name), text).expect("a model");
    }
    folder
}
