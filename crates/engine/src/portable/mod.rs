//! The generated code of a model as C++, for processors that Cranelift has no code for.
//!
//! The text is made from the functions that are compiled for the host, so it has their meaning and covers what they cover. It
//! works on states in words: see [`kripke_model::words`]. What a function of the runtime does is written again in C++
//! ([`runtime`]); a model that needs one that is missing there is refused.

mod function;
mod inlining;
mod runtime;

use std::collections::HashMap;
use std::fmt::Write;

use cranelift_codegen::ir::Function;
use kripke_model::Model;
use kripke_model::layout::Layout;
use kripke_model::words::WordLayout;

use crate::facts::Facts;
use crate::program::{self, Name};
use crate::trace::TraceAutomaton;
use crate::words::Words;
use crate::{Options, Unsupported, jit};
use function::Translation;
use inlining::Inlining;

/// The definitions that every text begins with.
const PRELUDE: &str = include_str!("prelude.h");

/// The successors of a model as C++ text, for states in words.
///
/// The text defines `MODEL_WORDS`, `MODEL_BITS`, `struct State` and
///
/// ```text
/// template <class Em> HD int expand(const State& state, Em& em);
/// HD bool is_accepting(const State& state);
/// ```
///
/// The first calls `em` with each successor and returns `MODEL_DONE`. `MODEL_STUCK` means that the state has no successor, is no valid end
/// state, and that nothing else is wrong with it. If it returns `MODEL_LEFT`, the state has to be expanded by
/// [`Compiled`](crate::Compiled): it has another set of processes, a fault, a failed assertion, a goal that holds, or needs a rare
/// operation; or it has no successor, and an observer or a trace automaton decides what that means. The successors that were given before
/// are successors of the state, but not all; they are the same each time.
/// The second tells whether the observer accepts in a state. It is false for a state with another set of processes, which is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortableCode {
    /// The text. It needs no headers.
    pub text: String,
    /// The number of 64-bit words of a state.
    pub words: usize,
    /// The number of bits of a state.
    pub bits: u32,
    /// The number of instructions of the code that the text was made from. The time to compile the text grows with it.
    pub instructions: usize,
}

/// The reason why a function has no C++ form.
#[derive(Debug)]
struct Unportable(String);

impl From<Unportable> for Unsupported {
    fn from(reason: Unportable) -> Unsupported {
        Unsupported(format!("it has no portable form: {}", reason.0))
    }
}

/// What the parts of the text are made from.
struct Source<'a> {
    model: &'a Model,
    layout: &'a Layout,
    facts: &'a Facts,
    words: &'a WordLayout,
    /// The number of the shape that the code is for.
    shape: usize,
    /// The functions, by number.
    names: &'a [Name],
    /// Whether each process has its own functions.
    per_process: bool,
    trace: Option<&'a TraceAutomaton>,
}

impl PortableCode {
    /// The code for states of the shape that these facts describe.
    pub(crate) fn new(
        model: &Model,
        layout: &Layout,
        facts: &Facts,
        options: Options,
        words: &Words,
    ) -> Result<PortableCode, Unsupported> {
        let options = Options { coverage: false, parts: false, ..options };
        program::check(model, layout, facts, options)?;
        let trace = TraceAutomaton::new(model, layout)?;
        let shape = words.layout().shape_of(&facts.sample).filter(|_| facts.fixed);
        let shape = shape.ok_or_else(|| Unsupported("its set of processes changes all the time".to_string()))?;
        let (mut plan, names) = program::plan(model, layout, facts, options, Some(words));
        plan.portable = true;
        let functions = program::generate(&plan, &names, jit::calls().map_err(Unsupported)?);
        let per_process = plan.links.per_process;
        let source = Source {
            model,
            layout,
            facts,
            words: words.layout(),
            shape,
            names: &names,
            per_process,
            trace: trace.as_ref(),
        };
        let buffers: HashMap<i64, usize> = layout
            .buffers
            .iter()
            .enumerate()
            .map(|(i, buffer)| (std::ptr::from_ref(buffer).addr() as i64, i))
            .collect();
        let mut bodies = String::new();
        source.runtime(&mut bodies);
        for (number, (name, function)) in functions.iter().enumerate() {
            let _ = writeln!(bodies, "// {name}");
            bodies.push_str(&Translation::of(function, &format!("INLINE_{number} int f{number}"), &buffers)?);
        }
        source.expand(&mut bodies);
        source.accepting(&mut bodies);
        let sizes: Vec<usize> = functions.iter().map(|(_, function)| size(function)).collect();
        let text = [&source.definitions(), PRELUDE, &declarations(&sizes, &bodies), &bodies].concat();
        let instructions = sizes.iter().sum();
        Ok(PortableCode { text, words: words.layout().word_count(), bits: words.layout().bits(), instructions })
    }
}

/// The number of instructions of a function.
fn size(function: &Function) -> usize {
    function.layout.blocks().map(|block| function.layout.block_insts(block).count()).sum()
}

/// The declarations of the generated functions of these sizes. Macros say which of them become parts of their callers.
fn declarations(sizes: &[usize], bodies: &str) -> String {
    let (mut text, mut inlining) = (String::new(), Inlining::new(sizes, bodies));
    for number in 0..sizes.len() {
        let _ = writeln!(
            text,
            "#define INLINE_{number} {}\n\
             template <class Em> INLINE_{number} int f{number}(Context<Em>* c, u8* state, u64 base, u64 pid);",
            inlining.macro_of(number)
        );
    }
    text
}
