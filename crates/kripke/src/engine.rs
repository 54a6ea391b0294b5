//! What expands states: the reference interpreter, or compiled code where that is wanted and can be had.

use std::sync::Arc;

use kripke_engine::{Compiled, Options};
use kripke_model::layout::StartError;
use kripke_model::{Interpreter, Model, Successors};

use crate::args::{self, Check, Format};
use crate::load;

pub struct Engine {
    /// Judges and shows, whatever searches.
    pub interpreter: Interpreter,
    compiled: Option<Compiled>,
}

impl Engine {
    /// Compiles the model if that is wanted. Also gives the reason if it is wanted and can't be done.
    pub fn new(model: &Arc<Model>, args: &Check) -> Result<(Engine, Option<String>), StartError> {
        let interpreter = load::interpreter(model.clone(), &args.reading)?;
        let wanted = args.searching.engine == args::Engine::Compile;
        let options = Options {
            coverage: args.showing.format == Format::Text || args.showing.unreached,
            claims: !args.reading.raw,
            ..Options::default()
        };
        let (compiled, why) = match wanted.then(|| Compiled::new(model.clone(), options)) {
            None => (None, None),
            Some(Ok(compiled)) => (Some(compiled), None),
            Some(Err(why)) => (None, Some(format!("{why}; the interpreter runs it instead"))),
        };
        Ok((Engine { interpreter, compiled }, why))
    }

    pub fn name(&self) -> &'static str {
        if self.compiled.is_some() { "compile" } else { "interpret" }
    }

    pub fn successors(&mut self) -> &mut dyn Successors {
        match &mut self.compiled {
            Some(compiled) => compiled,
            None => &mut self.interpreter,
        }
    }

    /// `[process][edge]`: executed by the search.
    pub fn coverage(&self) -> Vec<Vec<bool>> {
        self.compiled.as_ref().map_or_else(|| self.interpreter.coverage().to_vec(), Compiled::coverage)
    }
}
