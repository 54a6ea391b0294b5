//! Embedding: check a model in a file from a Rust program.
//!
//! `cargo run -p kripke --example embedding`

use std::path::Path;

use kripke::{Check, Error, Model, Verdict};

pub fn main() -> Result<(), Error> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mutex-naive.pml");
    let model = Model::read(file)?;
    match Check::new(&model).threads(2).run()? {
        Verdict::Holds(proof) => println!("holds: {} states, {} transitions", proof.states, proof.transitions),
        Verdict::Violated(violation) => println!("violated after {} steps: {violation}", violation.steps),
        Verdict::Inconclusive(reason) => println!("inconclusive: {reason}"),
    }
    Ok(())
}
