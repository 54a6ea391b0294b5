//! The report of a verifier.

use std::fmt::Write;

use super::{general, wide};

/// The version whose format the reports have.
const VERSION: &str = "Spin Version 6.5.2 -- 6 December 2019";

const MEBIBYTE: f64 = 1_048_576.0;

/// A whole report, up to the list of unreached states.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The settings of the search.
    pub settings: Settings,
    /// The search was not stopped.
    pub done: bool,
    /// The bytes of a state.
    pub vector: usize,
    /// The longest stack.
    pub depth: u64,
    /// The number of errors.
    pub errors: u64,
    /// The number of stored states.
    pub stored: u64,
    /// The number of states that were known already.
    pub matched: u64,
    /// The number of inner steps of atomic sequences.
    pub atomic: u64,
    /// The use of memory.
    pub memory: Memory,
}

/// The settings of a search that its report names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The additions in the first lines, such as `Partial Order Reduction`.
    pub additions: Vec<String>,
    /// The kind of the search, such as `Full statespace`.
    pub kind: String,
    /// The keyword of the trace automaton: `trace` or `notrace`.
    pub trace: Option<String>,
    /// The never claim.
    pub claim: Claim,
    /// Failed assertions are errors.
    pub assertions: bool,
    /// The search for cycles.
    pub cycles: Cycles,
    /// Invalid end states are errors.
    pub end_states: bool,
    /// The number of bits that stand for a state, if the store has no more of it.
    pub bits: Option<u8>,
}

/// The never claim of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The model has none.
    Missing,
    /// The model has one, which is ignored.
    Ignored,
    /// The claim with this name.
    Checked(String),
}

/// The search for cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cycles {
    /// The verifier can't look for cycles.
    Disabled,
    /// Acceptance cycles were not asked for.
    NotSelected,
    /// Acceptance cycles, with weak fairness or without.
    Acceptance {
        /// Weak fairness.
        fair: bool,
    },
    /// Non-progress cycles, with weak fairness or without.
    NonProgress {
        /// Weak fairness.
        fair: bool,
    },
}

/// The use of memory, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// The states.
    pub states: u64,
    /// The stack.
    pub stack: u64,
    /// The hash table has two to this power entries, as the user asked for.
    pub table: u32,
    /// The maximal depth.
    pub max_depth: u64,
    /// All of the program.
    pub total: u64,
}

impl Report {
    /// The text.
    pub fn text(&self) -> String {
        let mut out = format!("\n({VERSION})\n");
        if !self.done {
            out.push_str("Warning: Search not completed\n");
        }
        for addition in &self.settings.additions {
            let _ = writeln!(out, "\t+ {addition}");
        }
        out.push_str(&self.settings.text());
        let Report { vector, depth, errors, .. } = self;
        let _ = writeln!(out, "State-vector {vector} byte, depth reached {depth}, errors: {errors}");
        out.push_str(&self.counts());
        out.push_str(&self.memory_text());
        out
    }

    fn counts(&self) -> String {
        let Report { stored, matched, atomic, .. } = self;
        let mut out = format!("{} states, stored\n{} states, matched\n", wide(*stored), wide(*matched));
        let _ = writeln!(out, "{} transitions (= stored+matched)", wide(stored + matched));
        let _ = writeln!(out, "{} atomic steps", wide(*atomic));
        let Some(bits) = self.settings.bits else {
            let _ = writeln!(out, "hash conflicts: {} (resolved)\n", wide(0));
            return out;
        };
        // The states of a run that stopped at once are none.
        let factor = general(2f64.powi(self.memory.table as i32) / (*stored).max(1) as f64);
        let _ = writeln!(out, "\nhash factor: {factor:>4} (best if > 100.)\n");
        let _ = writeln!(out, "bits set per state: {bits} (-k{bits})\n");
        out
    }

    fn memory_text(&self) -> String {
        let Memory { states, stack, table, max_depth, total } = self.memory;
        let size = |bytes: u64| format!("{:9.3}", bytes as f64 / MEBIBYTE);
        let equivalent = self.stored * (self.vector as u64 + 28);
        let mut out = "Stats on memory usage (in Megabytes):\n".to_string();
        let _ = writeln!(
            out,
            "{}\tequivalent memory usage for states (stored*(State-vector + overhead))",
            size(equivalent)
        );
        let rest = total.saturating_sub(states + stack);
        let (kind, entries) = if self.settings.bits.is_some() { ("array", states) } else { ("table", rest) };
        if self.settings.bits.is_none() {
            let _ = writeln!(out, "{}\tactual memory usage for states", size(states));
        }
        let _ = writeln!(out, "{}\tmemory used for hash {kind} (-w{table})", size(entries));
        let _ = writeln!(out, "{}\tmemory used for DFS stack (-m{max_depth})", size(stack));
        let _ = writeln!(out, "{}\ttotal actual memory usage\n\n", size(total));
        out
    }
}

impl Settings {
    fn text(&self) -> String {
        let mut out = format!("\n{} search for:\n", self.kind);
        let claimed = matches!(self.claim, Claim::Checked(_));
        let claim = match &self.claim {
            Claim::Missing => "- (none specified)".to_string(),
            Claim::Ignored => "- (not selected)".to_string(),
            Claim::Checked(name) => format!("+ ({name})"),
        };
        if let Some(keyword) = &self.trace {
            let _ = writeln!(out, "\t{:19}\t+", format!("{keyword} assertion"));
        }
        let _ = writeln!(out, "\tnever claim         \t{claim}");
        let assertions = match (self.assertions, claimed) {
            (false, _) => "- (disabled by -A flag)",
            (true, true) => "+ (if within scope of claim)",
            (true, false) => "+",
        };
        let _ = writeln!(out, "\tassertion violations\t{assertions}");
        let fairness = |fair: bool| format!("+ (fairness {}abled)", if fair { "en" } else { "dis" });
        let (what, cycles) = match self.cycles {
            Cycles::Disabled => ("cycle checks       ", "- (disabled by -DSAFETY)".to_string()),
            Cycles::NotSelected => ("acceptance   cycles ", "- (not selected)".to_string()),
            Cycles::Acceptance { fair } => ("acceptance   cycles ", fairness(fair)),
            Cycles::NonProgress { fair } => ("non-progress cycles ", fairness(fair)),
        };
        let _ = writeln!(out, "\t{what}\t{cycles}");
        let ends = match (claimed, self.end_states) {
            (_, false) => "- (disabled by -E flag)",
            (true, true) => "- (disabled by never claim)",
            (false, true) => "+",
        };
        let _ = writeln!(out, "\tinvalid end states\t{ends}\n");
        out
    }
}

/// The last lines: time and rate.
pub fn elapsed(seconds: f64, states: u64) -> String {
    let time = if seconds < 0.01 { "0".to_string() } else { short(seconds) };
    let mut out = format!("\npan: elapsed time {time} seconds\n");
    if seconds > 0.01 {
        let _ = writeln!(out, "pan: rate {} states/second", wide((states as f64 / seconds) as u64));
    }
    out
}

/// A number with three digits.
fn short(n: f64) -> String {
    let digits = (2 - n.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{n:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_spins() {
        let settings = Settings {
            additions: vec!["Partial Order Reduction".to_string()],
            kind: "Full statespace".to_string(),
            trace: Some("notrace".to_string()),
            claim: Claim::Missing,
            assertions: true,
            cycles: Cycles::Disabled,
            end_states: true,
            bits: None,
        };
        let memory = Memory { states: 305_000, stack: 560_000, table: 24, max_depth: 10_000, total: 135_000_000 };
        let report = Report {
            settings,
            done: true,
            vector: 20,
            depth: 14,
            errors: 0,
            stored: 55,
            matched: 25,
            atomic: 0,
            memory,
        };
        let expected = "\n(Spin Version 6.5.2 -- 6 December 2019)\n\t+ Partial Order Reduction\n\nFull statespace search for:\n\
            \tnotrace assertion  \t+\n\tnever claim         \t- (none specified)\n\tassertion violations\t+\n\
            \tcycle checks       \t- (disabled by -DSAFETY)\n\tinvalid end states\t+\n\n\
            State-vector 20 byte, depth reached 14, errors: 0\n       55 states, stored\n       25 states, matched\n\
            \u{20}      80 transitions (= stored+matched)\n        0 atomic steps\n\
            hash conflicts:         0 (resolved)\n\nStats on memory usage (in Megabytes):\n";
        assert!(report.text().starts_with(expected), "{}", report.text());
        assert!(report.text().ends_with("\ttotal actual memory usage\n\n\n"), "{}", report.text());
    }

    #[test]
    fn times_have_three_digits() {
        for (seconds, text) in [(0.0, "0"), (0.0213, "0.0213"), (1.5, "1.5"), (12.345, "12.3"), (1234.0, "1234")] {
            assert!(elapsed(seconds, 10).starts_with(&format!("\npan: elapsed time {text} seconds\n")), "{seconds}");
        }
    }
}
