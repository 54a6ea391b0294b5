//! From arguments to a request.

use kripke::request::{Errors, Limits, Questions, Reductions, Request, Search, Source, Store, Swarm};

use super::{Asking, Check, Format, Looking, Overflow, Reading, Searching, Storing};

impl Check {
    /// The request that the arguments make.
    pub fn request(&self) -> Request {
        let Searching { no_partial_order, no_sleep_sets, symmetry, audit, .. } = self.searching;
        let (partial_order, sleep_sets) = (!no_partial_order, !no_sleep_sets);
        // A line for each model has no room for remarks.
        let brief = self.showing.format == Format::Text && self.showing.quiet;
        Request {
            source: self.reading.source(),
            questions: self.asking.questions(self.looking.no_claim),
            errors: self.looking.errors(),
            reductions: Reductions { partial_order, sleep_sets, symmetry, audit, ..self.reading.reductions() },
            search: self.searching.search(&self.asking),
            limits: Limits {
                max_depth: self.limits.max_depth,
                max_states: self.limits.max_states,
                memory: self.limits.mem,
                timeout: self.limits.timeout,
            },
            coverage: !self.showing.quiet || self.showing.unreached,
            vacuity: !self.reports.no_vacuity,
            overflow_warnings: self.reading.overflow != Overflow::Wrap && !brief,
        }
    }
}

impl Reading {
    /// The options that change the meaning of the text.
    pub fn source(&self) -> Source {
        Source {
            language: self.lang,
            lossy: self.lossy_send,
            overflow_is_error: self.overflow == Overflow::Error,
            ..self.text.source()
        }
    }

    /// The passes from model to model.
    pub fn reductions(&self) -> Reductions {
        Reductions {
            raw: self.raw,
            merging: !self.no_coarsening,
            dead_variables: !self.no_dead_variables,
            slicing: !self.no_slicing,
            ..Reductions::default()
        }
    }
}

impl Asking {
    /// The properties to check.
    pub fn questions(&self, ignore_claims: bool) -> Questions {
        Questions {
            safety: self.safety,
            properties: self.property.clone(),
            ltl: self.ltl.clone(),
            ltl_files: self.ltl_file.clone(),
            hoa: self.hoa.clone(),
            ctl: self.ctl.clone(),
            reach: self.reach.clone(),
            invariants: self.invariant.clone(),
            acceptance: self.acceptance,
            non_progress: self.non_progress,
            ignore_claims,
            fairness: self.fairness(),
        }
    }
}

impl Looking {
    fn errors(&self) -> Errors {
        Errors {
            assertions: !self.no_assertions,
            end_states: !self.no_end_states,
            all: self.all_errors(),
            stop_at: self.stop_at(),
        }
    }
}

impl Searching {
    fn search(&self, asking: &Asking) -> Search {
        Search {
            order: self.search.map(Into::into),
            algorithm: asking.cycles.local,
            store: self.storing.store(),
            compact: self.compact,
            engine: self.engine.into(),
            threads: self.threads,
            ranks: self.ranks,
            distributed: asking.cycles.distributed,
            gpu: self.gpu.map(Into::into),
        }
    }
}

impl Storing {
    fn store(&self) -> Store {
        Store {
            kind: self.store,
            lossy: self.lossy,
            change_at: self.change_at,
            cache_states: self.cache_states,
            cache_collisions: self.cache_collisions,
            cache_probes: self.cache_probes,
            bits: self.bits,
            hashes: self.hashes,
            hash_bits: self.hash_bits,
            hash_seed: self.hash_seed,
            hash_function: self.hash_function,
            swarm: self.swarm.map(|searches| searches.map_or(Swarm::Timed, Swarm::Searches)),
        }
    }
}
