//! Checking one model, and what there is to say about it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kripke_model::ir::PropertyKind;
use kripke_model::{Interpreter, Model};
use kripke_report::json;
use kripke_report::run::Run;
use kripke_report::screen::Checked;
use kripke_report::table::Look;
use kripke_report::verdict::Verdict;
use kripke_report::{coverage, number};
use kripke_search::{Budget, End, Options, Order, Outcome, Progress, StoreKind, explore};

use crate::args::{self, Check};
use crate::engine::Engine;
use crate::exit::{Failure, Status};
use crate::load::{self, Trouble};
use crate::trails::{self, Written};
use crate::{memory, output, processor, progress};

/// Why a model was not checked.
pub enum Stopped {
    Trouble(Trouble),
    Failure(Failure),
}

/// A model that was checked.
pub struct Done {
    pub model: Arc<Model>,
    pub interpreter: Interpreter,
    pub outcome: Outcome,
    pub verdict: Verdict,
    pub seconds: json::Seconds,
    pub limits: json::Limits,
    pub options: Options,
    pub engine: &'static str,
    pub covered: Vec<Vec<bool>>,
}

impl Done {
    pub fn check(args: &Check, file: &Path, interrupt: &Arc<AtomicBool>) -> Result<Done, Stopped> {
        let (start, busy) = (Instant::now(), processor::seconds());
        let loaded = load::load(file, &args.reading).map_err(Stopped::Trouble)?;
        if !args.showing.quiet {
            output::remark(&loaded.warnings);
        }
        let (model, load) = (loaded.model, start.elapsed());
        let (engine, fallback) =
            Engine::new(&model, args).map_err(|e| Stopped::Trouble(Trouble::whole(file, &e.to_string())))?;
        if let Some(why) = fallback.filter(|_| !args.showing.quiet) {
            output::warn(&why);
        }
        let compile = start.elapsed() - load;
        let limits = json::Limits {
            max_depth: args.limits.max_depth,
            max_states: args.limits.max_states,
            memory: args.limits.mem.or_else(memory::default_limit),
            timeout: args.limits.timeout.map(|t| t.as_secs_f64()),
        };
        let budget = Budget {
            max_depth: limits.max_depth,
            max_states: limits.max_states,
            memory: limits.memory,
            taken: memory::now(),
            deadline: args.limits.timeout.and_then(|t| start.checked_add(t)),
            interrupt: Some(interrupt.clone()),
        };
        let options = options(args).fit(engine.uncompared());
        let seen = Progress::new();
        let search = || explore(&|| engine.worker(), &options, &budget, &seen);
        let outcome = progress::watch(&seen, limits.memory, !args.showing.quiet, search);
        if outcome.statistics.store == StoreKind::Tree && options.store == StoreKind::Auto && !args.showing.quiet {
            output::warn("memory got tight: searched again with --store tree");
        }
        let name = engine.name();
        let (mut interpreter, covered) = engine.finish();
        let elapsed = start.elapsed();
        let verdict = Verdict::judge(&outcome, &mut interpreter, &unchecked(args, &model))
            .map_err(|e| Stopped::Failure(Failure::Bug(format!("{}: {e}", file.display()))))?;
        let seconds = json::Seconds {
            load: load.as_secs_f64(),
            compile: compile.as_secs_f64(),
            search: (elapsed - load - compile).as_secs_f64(),
            cpu: processor::seconds().zip(busy).map(|(now, before)| now - before),
        };
        Ok(Done { model, interpreter, outcome, verdict, seconds, limits, options, engine: name, covered })
    }

    pub fn status(&self) -> Status {
        match self.verdict {
            Verdict::Holds(_) => Status::Fine,
            Verdict::Violated(_) => Status::Violated,
            Verdict::Inconclusive(_) => Status::Inconclusive,
        }
    }

    pub fn checked(&self) -> Checked<'_> {
        let json::Seconds { load, compile, search, .. } = self.seconds;
        Checked {
            model: &self.model,
            verdict: &self.verdict,
            statistics: &self.outcome.statistics,
            order: self.options.order,
            elapsed: Duration::from_secs_f64(load + compile + search),
            memory: memory::peak(),
            assertions: self.options.assertions,
            end_states: self.options.end_states,
        }
    }

    pub fn write_trail(&self, args: &Check, file: &Path) -> Written {
        match &self.verdict {
            Verdict::Violated(violated) if !args.showing.no_trail => {
                trails::write(&self.interpreter, &violated.first, file, args)
            }
            _ => Written::default(),
        }
    }

    pub fn screen(&self, args: &Check, file: &Path, trail: &Written) -> String {
        let checked = self.checked();
        let mut out = match &self.verdict {
            Verdict::Violated(violated) => {
                let run = Run::replayed(&self.interpreter, violated.first.replayed());
                let look = Look { width: output::width(), full: args.showing.full };
                let mut out = checked.alarm(violated, &run, &run.names(), look);
                out.push_str(&trail.hint(args, file));
                out
            }
            _ => checked.calm(),
        };
        out.push_str(&self.never_executed(args));
        if args.showing.verbose {
            out.push_str(&self.particulars());
        }
        out
    }

    /// In short after a complete search, in full when asked for.
    fn never_executed(&self, args: &Check) -> String {
        let complete = matches!(self.outcome.end, End::Exhausted(_));
        if !complete && !args.showing.unreached {
            return String::new();
        }
        let missed = coverage::unreached(&self.model, &self.covered);
        let so_far = if complete { "" } else { " so far" };
        match coverage::summary(&self.model, &missed) {
            None if args.showing.unreached => format!("  every statement was executed{so_far}\n"),
            None => String::new(),
            Some(_) if args.showing.unreached => {
                format!("  never executed{so_far}:\n{}", coverage::details(&self.model, &missed))
            }
            Some(places) => format!("  never executed: {places}\n"),
        }
    }

    /// Where time and memory went.
    fn particulars(&self) -> String {
        let ms = |s: f64| number::duration(Duration::from_secs_f64(s));
        let json::Seconds { load, compile, search, .. } = self.seconds;
        let statistics = &self.outcome.statistics;
        let limit = self.limits.memory.map_or("none".to_string(), number::bytes);
        format!(
            "  load {} · prepare {} · search {}\n  longest state {} B · store {} · queue {} · memory limit {limit}\n",
            ms(load),
            ms(compile),
            ms(search),
            statistics.state_bytes,
            number::bytes(statistics.store_bytes),
            number::bytes(statistics.search_bytes),
        )
    }
}

fn options(args: &Check) -> Options {
    Options {
        order: match args.searching.search {
            args::Order::Bfs => Order::BreadthFirst,
            args::Order::Dfs => Order::DepthFirst,
        },
        all_errors: args.looking.all_errors(),
        assertions: args.assertions(),
        end_states: args.end_states(),
        store: match args.searching.store {
            args::Store::Auto => StoreKind::Auto,
            args::Store::Exact => StoreKind::Exact,
            args::Store::Tree => StoreKind::Tree,
        },
        threads: args.searching.threads.map(usize::from),
    }
}

/// The temporal properties of the model, which this version reads but does not check.
fn unchecked(args: &Check, model: &Model) -> Vec<String> {
    if args.looking.no_claim {
        return Vec::new();
    }
    let word = |kind| match kind {
        PropertyKind::Ltl => "ltl",
        PropertyKind::Never => "never",
        PropertyKind::Ctl => "ctl",
        PropertyKind::Process => "process",
    };
    model.properties.iter().map(|p| format!("{} {}", word(p.kind), p.name).trim_end().to_string()).collect()
}
