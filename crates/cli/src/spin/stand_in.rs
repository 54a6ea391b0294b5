//! The stand-in `pan.c`: a small C program that starts Kripke as a verifier.
//!
//! Scripts compile it and run the result as they do with a verifier of SPIN. The macros that the compiler defines and the arguments
//! of the run are handed on.

use std::fmt::Write as _;
use std::path::Path;

use super::spin_options::SpinOptions;
use crate::exit::{Failure, Status};
use crate::files::{self, Kind, Replace};
use crate::output;

/// The argument with which a compiled stand-in calls Kripke.
pub const FLAG: &str = "-pan-for";

/// The first line of a stand-in.
pub const MARK: &str = "/* A stand-in for a verifier of SPIN: it starts Kripke. Written by `kripke spin -a`. */";

/// Marks the line with the arguments.
const ARGUMENTS: &str = "/* arguments: ";

/// Macros of verifiers whose being defined is handed on.
const FLAGS: [&str; 24] = [
    "SAFETY",
    "NOREDUCE",
    "NOCLAIM",
    "NP",
    "BITSTATE",
    "BFS",
    "COLLAPSE",
    "REACH",
    "NOFAIR",
    "HC",
    "HC0",
    "HC1",
    "HC2",
    "HC3",
    "HC4",
    "BFS_PAR",
    "NOCOMP",
    "NOBOUNDCHECK",
    "XUSAFE",
    "BCS",
    "P_RAND",
    "T_RAND",
    "SC",
    "PRINTF",
];

/// Macros of verifiers whose values are handed on.
const VALUES: [&str; 6] = ["NFAIR", "MEMLIM", "VECTORSZ", "MA", "NCORE", "SPACE"];

/// Writes `pan.c`.
pub fn write(options: &SpinOptions, model: &Path) -> Result<Status, Failure> {
    let loaded = super::Model::new(model.to_path_buf(), options).load(kripke::spin::Steps::Short)?;
    for property in &loaded.interpreter.model().properties {
        if !property.text.is_empty() {
            output::print(&format!("ltl {}: {}\n", property.name, property.text));
        }
    }
    let mut given = options.given.clone();
    if let Some(formula) = &options.formula {
        given.extend(["-f".to_string(), formula.clone()]);
    }
    let program = std::env::current_exe().map_err(|e| Failure::Bug(format!("the program has no name: {e}")))?;
    let text = text(&program.to_string_lossy(), &model.to_string_lossy(), &given);
    let path = Path::new("pan.c");
    files::write(path, Replace::OnlyOurs(Kind::StandIn), |out| out.write_all(text.as_bytes()))
        .map_err(|e| files::unwritten(path, &e))?;
    Ok(Status::Fine)
}

/// The text of the stand-in.
fn text(program: &str, model: &str, given: &[String]) -> String {
    let arguments = serde_json::to_string(&[&[model.to_string()], given].concat()).unwrap_or_default();
    // Asterisks could end the comment.
    let arguments = arguments.replace('*', "\\u002a");
    let mut out = format!("{MARK}\n{ARGUMENTS}{arguments} */\n");
    out.push_str("#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n");
    out.push_str("#define TEXT(x) #x\n#define VALUE(x) TEXT(x)\n\nstatic char *fixed[] = {\n");
    for argument in [program, "spin", FLAG, model].into_iter().chain(given.iter().map(String::as_str)) {
        let _ = writeln!(out, "\t{},", literal(argument));
    }
    for name in FLAGS {
        let _ = writeln!(out, "#ifdef {name}\n\t\"-KD{name}\",\n#endif");
    }
    for name in VALUES {
        let _ = writeln!(out, "#ifdef {name}\n\t\"-KD{name}=\" VALUE({name}),\n#endif");
    }
    out.push_str(
        "\t\"--\"\n};\n\nint\nmain(int argc, char *argv[])\n{\n\tint n = (int) (sizeof fixed / sizeof *fixed);\n",
    );
    out.push_str("\tchar **all = malloc((n + argc + 1) * sizeof *all);\n\tint i, k = 0;\n\n\tif (!all) {\n");
    out.push_str("\t\tperror(\"pan\");\n\t\treturn 1;\n\t}\n\tfor (i = 0; i < n; i++)\n\t\tall[k++] = fixed[i];\n");
    out.push_str("\tfor (i = 1; i < argc; i++)\n\t\tall[k++] = argv[i];\n\tall[k] = NULL;\n");
    out.push_str("\texecv(all[0], all);\n\tperror(all[0]);\n\treturn 1;\n}\n");
    out
}

/// A string of C.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(byte as char);
            }
            b' '..=b'~' if byte != b'?' => out.push(byte as char),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// The model and the arguments in the stand-in of this directory.
pub fn read() -> Result<(String, Vec<String>), String> {
    let path = Path::new("pan.c");
    let bytes = files::read(path, 1 << 20)
        .map_err(|e| format!("can't read pan.c: {}; `spin -a` writes it", files::explain(&e)))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let line = text.lines().nth(1).and_then(|line| line.strip_prefix(ARGUMENTS)?.strip_suffix(" */"));
    let arguments: Option<Vec<String>> = line.and_then(|line| serde_json::from_str(line).ok());
    match arguments.as_deref() {
        Some([model, given @ ..]) if text.starts_with(MARK) => Ok((model.clone(), given.to_vec())),
        _ => Err("pan.c was not written by `kripke spin -a`".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_c_are_escaped() {
        assert_eq!(literal("a\"b\\c ?é"), "\"a\\\"b\\\\c \\077\\303\\251\"");
        let text = text("/bin/kripke", "m */.pml", &["-DX=\"1\"".to_string()]);
        assert_eq!(text.lines().nth(1), Some("/* arguments: [\"m \\u002a/.pml\",\"-DX=\\\"1\\\"\"] */"));
    }
}
