//! The plan of an answer as a list of decisions, each with its value and its reason.
//!
//! A [`QuestionPlan`](crate::plan::QuestionPlan) says what is sound. The model decides the rest: a reduction that is sound may
//! find nothing to reduce, and a model may have no machine code. The list has both, so it says what was done and why.

use kripke_model::Representation;
use kripke_reduce::por::Preserve;
use kripke_reduce::simplify::Simplified;
use kripke_report::decision::Decision;
use kripke_report::screen::store_size;
use kripke_search::{Algorithm, Fairness, Options, Order, Statistics, StoreKind};

use crate::answer::Answer;
use crate::plan::HIDDEN;
use crate::request::Request;

const DEFAULT: &str = "default";
const RAW: &str = "--raw";

impl Answer {
    /// Every decision about the search for this answer, in the order of a fixed list.
    pub fn decisions(&self, request: &Request) -> Vec<Decision> {
        let all = [
            ("store", self.store(request)),
            ("order", self.order(request)),
            ("swarm", swarm(&self.search)),
            ("threads", self.threads(request)),
            ("engine", self.engine_choice()),
            ("slicing", self.slicing(request)),
            ("dead-variables", self.dead_variables(request)),
            ("statement-merging", self.merging()),
            ("partial-order", self.partial_order(request)),
            ("sleep-sets", self.sleep_sets(request)),
            ("symmetry", self.symmetry()),
            ("compact-states", on_if(request.search.compact, "--compact", DEFAULT)),
            ("fairness", self.fairness_choice(request)),
            ("cycle-algorithm", self.cycle_algorithm(request)),
            ("layers", self.layers(request)),
        ];
        let why = if request.search.ranks.is_some() { "--ranks" } else { "one for each thread" };
        let ranks = self.plan.ranks.map(|ranks| ("ranks", pair(&ranks.number.to_string(), why)));
        let gpu = self.gpu.as_ref().map(|used| match &used.device {
            Ok(name) => ("gpu", pair(name, "--gpu")),
            Err(why) => ("gpu", pair("off", why)),
        });
        let all = gpu.into_iter().chain(ranks).chain(all);
        all.map(|(item, (value, reason))| Decision { item, value, reason }).collect()
    }

    /// Whether the model has variables in which states are not compared.
    fn has_hidden(&self) -> bool {
        self.searched.hidden_prefix() > 0
    }

    /// Whether the search is one for cycles or evaluates a CTL formula.
    fn is_temporal(&self) -> bool {
        self.search.cycles.is_some() || self.search.ctl.is_some()
    }

    /// Whether a GPU has searched.
    fn is_accelerated(&self) -> bool {
        self.gpu.as_ref().is_some_and(|used| used.device.is_ok())
    }

    fn store(&self, request: &Request) -> (String, String) {
        if self.is_accelerated() {
            return pair("words, in the memory of the device", "--gpu");
        }
        let by_words = self.outcome.statistics.store == StoreKind::Words;
        let value = match self.search.store {
            StoreKind::Auto if by_words => "auto: words".to_string(),
            StoreKind::Words if !by_words => "exact".to_string(),
            StoreKind::Auto if self.is_temporal() => "auto: exact".to_string(),
            StoreKind::Auto if self.search.lossy => "auto: exact, tree, hash, then bitstate".to_string(),
            StoreKind::Auto if self.in_words => "auto: exact, then tree; states in words".to_string(),
            StoreKind::Auto => "auto: exact, then tree".to_string(),
            kind => store_size(kind).map_or(kind.word().to_string(), |size| format!("{}: {size}", kind.word())),
        };
        let store = &request.search.store;
        let reason = match () {
            () if self.has_hidden() => HIDDEN,
            () if self.search.store == StoreKind::Words && !by_words => "a state is longer than two words",
            () if store.kind.is_some() => "--store",
            () if store.swarm.is_some() => "--swarm",
            () if store.lossy => "--lossy",
            () => DEFAULT,
        };
        (value, reason.to_string())
    }

    fn order(&self, request: &Request) -> (String, String) {
        match self.plan.ranks.map(|ranks| ranks.algorithm) {
            Some(None) => return pair("breadth-first", "ranks search level by level"),
            Some(Some(_)) => return pair("that of the cycle algorithm", "--ranks"),
            None if self.is_accelerated() => return pair("breadth-first", "a GPU searches level by level"),
            None => {}
        }
        if self.is_temporal() {
            return pair("depth-first", "searches for cycles and CTL are depth-first");
        }
        let reason = match self.search.order {
            _ if self.has_hidden() => HIDDEN,
            _ if request.search.order.is_some() => "--search",
            Order::DepthFirst if self.search.swarm.is_some() => "--swarm",
            Order::DepthFirst => "default of this store",
            Order::BreadthFirst => DEFAULT,
        };
        let probe = self.outcome.statistics.probe.map_or(String::new(), |probe| {
            let states = probe.states;
            let found = if probe.is_used { ", which found the error" } else { "" };
            format!("; a depth-first probe of {states} states{found}")
        });
        (format!("{}{probe}", order_name(self.search.order)), reason.to_string())
    }

    fn threads(&self, request: &Request) -> (String, String) {
        if let Some(ranks) = self.plan.ranks {
            let reason = match (ranks.algorithm, request.search.threads) {
                (Some(_), _) => "a rank of this cycle algorithm is one thread",
                (None, Some(_)) => "--threads, for each rank",
                (None, None) => "for each rank: the cores are shared",
            };
            return pair(&self.search.workers().to_string(), reason);
        }
        let wanted = Options { threads: request.search.threads.map(usize::from), ..Options::default() }.workers();
        let workers = self.workers();
        let reason = match self.search.order {
            _ if self.has_hidden() => HIDDEN,
            _ if workers < wanted && self.search.ctl.is_some() => {
                "a CTL formula is evaluated by one thread by default, and under fairness"
            }
            _ if workers < wanted && workers > 1 => "the most threads of this cycle algorithm",
            _ if workers < wanted && self.search.cycles.is_some() => "this cycle algorithm is sequential",
            Order::DepthFirst if workers < wanted => {
                "a depth-first search is sequential by default, or if its store may change"
            }
            _ if request.search.threads.is_some() => "--threads",
            _ => "one for each core",
        };
        (workers.to_string(), reason.to_string())
    }

    /// The number of workers with the store that was used.
    fn workers(&self) -> usize {
        match self.outcome.statistics.store {
            StoreKind::Words => Options { store: StoreKind::Words, ..self.search.clone() }.workers(),
            _ => self.search.workers(),
        }
    }

    fn engine_choice(&self) -> (String, String) {
        let reason = match (&self.not_compiled, self.engine) {
            (Some(why), _) => why,
            (None, "interpret") => "--engine",
            (None, _) => DEFAULT,
        };
        pair(self.engine, reason)
    }

    fn slicing(&self, request: &Request) -> (String, String) {
        let Simplified { sliced, folded, .. } = self.task.simplified;
        match &request.reductions {
            reductions if reductions.raw => pair("off", RAW),
            reductions if !reductions.slicing => pair("off", "--no-slicing"),
            _ => on_if(sliced + folded > 0, DEFAULT, "every part of the model can influence the property"),
        }
    }

    fn dead_variables(&self, request: &Request) -> (String, String) {
        match &request.reductions {
            reductions if reductions.raw => pair("off", RAW),
            reductions if !reductions.dead_variables => pair("off", "--no-dead-variables"),
            _ => on_if(self.task.simplified.resets > 0, DEFAULT, "no variable is dead where it has a value"),
        }
    }

    fn merging(&self) -> (String, String) {
        match self.plan.merging {
            Ok(()) => on_if(self.task.merged > 0, DEFAULT, "no statement can be merged"),
            Err(why) => pair("off", why),
        }
    }

    fn partial_order(&self, request: &Request) -> (String, String) {
        match (self.plan.partial_order, self.no_partial_order) {
            (_, Some(why)) => pair("off", why),
            (Some(Ok(Preserve::Safety)), _) => pair("on", "default; open-set cycle proviso, for safety"),
            (Some(Ok(Preserve::StutterLtl)), _) if self.plan.ranks.is_some() => {
                pair("on", "default; static cycle proviso, the same for all ranks")
            }
            (Some(Ok(Preserve::StutterLtl)), _) => pair("on", "default; static cycle proviso, for LTL"),
            (Some(Err(why)), _) => pair("off", why),
            (None, _) if request.reductions.raw => pair("off", RAW),
            (None, _) => pair("off", "--no-partial-order"),
        }
    }

    fn sleep_sets(&self, request: &Request) -> (String, String) {
        let Statistics { asleep, transitions, .. } = self.outcome.statistics;
        if asleep > 0 {
            let percent = asleep as f64 / transitions as f64 * 100.0;
            return pair("on", &format!("default; {percent:.0} % of the transitions are counted, not looked up"));
        }
        let why = match () {
            () if !request.reductions.sleep_sets => "--no-sleep-sets",
            () if self.is_accelerated() => "a GPU does not use them",
            () if self.plan.ranks.is_some() => "ranks do not use them",
            () if self.is_temporal() || self.search.order != Order::BreadthFirst => {
                "for breadth-first searches of states"
            }
            () if self.search.reduces => "ample sets are used instead",
            () => "too few transitions would be left out, or the engine does not know which are independent",
        };
        pair("off", why)
    }

    fn symmetry(&self) -> (String, String) {
        match &self.symmetry {
            Some(Ok(_)) => pair("on", "--symmetry"),
            Some(Err(reasons)) => pair("off", &reasons.join("; ")),
            None => pair("off", DEFAULT),
        }
    }

    fn fairness_choice(&self, request: &Request) -> (String, String) {
        let (value, wanted) = (self.fairness(), request.questions.fairness);
        let reason = match (value, wanted) {
            (Fairness::None, Fairness::None) => DEFAULT,
            (Fairness::None, _) => "a search for states covers all runs",
            _ => "--fair",
        };
        pair(value.word(), reason)
    }

    fn cycle_algorithm(&self, request: &Request) -> (String, String) {
        if let Some(ranks) = self.plan.ranks
            && let Some(name) = ranks.algorithm
        {
            return pair(name, ranks.reason);
        }
        if self.is_accelerated() && self.search.cycles.is_some() {
            return pair("owcty", "--gpu");
        }
        let Some(algorithm) = self.search.algorithm() else {
            let ctl = self.search.ctl.is_some();
            return pair("none", if ctl { "CTL is evaluated on the fly" } else { "no cycle can violate the property" });
        };
        let reason = match algorithm {
            _ if request.search.algorithm != Algorithm::Auto => "--cycles",
            Algorithm::Cndfs => "default for several threads",
            Algorithm::Ufscc => "default for several threads and several acceptance sets",
            _ if self.fairness() != Fairness::None => "fairness is decided on whole components",
            _ if self.search.all_errors => "all cycles are counted by components",
            _ => "default for one thread",
        };
        pair(algorithm.word(), reason)
    }

    fn layers(&self, request: &Request) -> (String, String) {
        let outer = [
            (self.search.reduces, "ample sets"),
            (matches!(self.symmetry, Some(Ok(_))), "symmetry"),
            (request.search.compact, "state codec"),
        ];
        let outer = outer.into_iter().filter_map(|(applied, layer)| applied.then_some(layer));
        let layers: Vec<&str> = std::iter::once(self.engine).chain(outer).collect();
        pair(&layers.join(" < "), "each layer wraps those before it")
    }
}

fn swarm(search: &Options) -> (String, String) {
    match search.swarm {
        None => pair("off", DEFAULT),
        Some(u64::MAX) => pair("searches until the timeout", "--swarm"),
        Some(searches) => pair(&format!("{searches} searches"), "--swarm"),
    }
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::BreadthFirst => "breadth-first",
        Order::DepthFirst => "depth-first",
    }
}

fn on_if(applied: bool, why: &str, why_not: &str) -> (String, String) {
    if applied { pair("on", why) } else { pair("off", why_not) }
}

fn pair(value: &str, reason: &str) -> (String, String) {
    (value.to_string(), reason.to_string())
}
