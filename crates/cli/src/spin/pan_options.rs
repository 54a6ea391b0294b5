//! The options of a verifier: those of its compilation and those of its run.

use kripke::spin::search::Shorten;

/// The options of a verifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PanOptions {
    /// `-DNAME[=VALUE]`, as given to the C compiler.
    pub macros: Vec<(String, String)>,
    /// `spin -run` makes the verifier, and adds `-a`, `-l` or `-DSAFETY`.
    pub at_once: bool,
    pub acceptance: bool,
    pub non_progress: bool,
    pub fair: bool,
    pub assertions: bool,
    pub end_states: bool,
    pub bounded: bool,
    pub upto: u64,
    pub every: bool,
    pub shorten: Shorten,
    pub max_depth: u64,
    /// The logarithm of the size of the hash table.
    table: Option<u32>,
    /// The name or the number of the claim.
    pub claim: Option<String>,
    pub list_unreached: bool,
    pub verbose: bool,
    pub empty_channels: bool,
    pub reverse_escapes: bool,
    /// The ending of trail files.
    pub suffix: String,
    pub minutes: Option<u64>,
    /// Replay a trail: its name or number.
    pub replay: Option<String>,
    /// An existing trail is kept.
    pub exclusive: bool,
    /// Bits set for each state (bitstate).
    pub bits: Option<u8>,
    /// Print the tables of states and stop.
    pub tables: bool,
    pub version: bool,
    /// Options that have no meaning here.
    pub ignored: Vec<String>,
}

impl Default for PanOptions {
    fn default() -> PanOptions {
        PanOptions {
            macros: Vec::new(),
            at_once: false,
            acceptance: false,
            non_progress: false,
            fair: false,
            assertions: true,
            end_states: true,
            bounded: false,
            upto: 1,
            every: false,
            shorten: Shorten::Never,
            max_depth: 10_000,
            table: None,
            claim: None,
            list_unreached: true,
            verbose: false,
            empty_channels: false,
            reverse_escapes: false,
            suffix: "trail".to_string(),
            minutes: None,
            replay: None,
            exclusive: false,
            bits: None,
            tables: false,
            version: false,
            ignored: Vec::new(),
        }
    }
}

impl PanOptions {
    /// Whether a macro is defined.
    pub fn has(&self, name: &str) -> bool {
        self.macros.iter().any(|(known, _)| known == name)
    }

    /// The limit of memory in bytes: `-DMEMLIM`, in megabytes.
    pub fn memory(&self) -> Option<u64> {
        let (_, value) = self.macros.iter().find(|(name, _)| name == "MEMLIM")?;
        value.parse::<u64>().ok().map(|megabytes| megabytes << 20)
    }

    /// Defines a macro: `NAME` or `NAME=VALUE`.
    pub fn define(&mut self, text: &str) {
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        self.macros.push((name.to_string(), value.to_string()));
    }

    /// The logarithm of the size of the hash table, or of its bits (bitstate).
    pub fn table(&self) -> u32 {
        self.table.unwrap_or(if self.has("BITSTATE") { 27 } else { 24 })
    }

    /// The number of bits that a bitstate search sets for each state.
    pub fn bits_per_state(&self) -> u8 {
        self.bits.unwrap_or(3)
    }

    /// Whether the search is breadth-first.
    pub fn is_breadth_first(&self) -> bool {
        self.has("BFS") || self.has("BFS_PAR")
    }

    /// Adds what `spin -run` adds: `-l` if non-progress cycles are asked for, `-a` if the model has accept labels, and
    /// `-DSAFETY` otherwise.
    pub fn complete(&mut self, accept_labels: bool) {
        if self.has("NP") && !self.acceptance {
            self.non_progress = true;
        } else if self.non_progress {
            self.define("NP");
        }
        if self.acceptance || self.non_progress || self.has("SAFETY") {
            return;
        }
        if accept_labels && !self.is_breadth_first() && !self.has("NOCLAIM") {
            self.acceptance = true;
        } else {
            self.define("SAFETY");
        }
    }

    /// Reads an option of a verifier. `next` is the following argument, if it may be a value. Returns whether it was one.
    pub fn read(&mut self, option: &str, next: Option<&str>) -> Result<bool, String> {
        let Some(letter) = option.chars().nth(1) else { return Err(format!("unknown option {option}")) };
        let attached = &option[1 + letter.len_utf8()..];
        if self.flag(letter, attached) {
            return Ok(false);
        }
        let takes = "cmwkQN".contains(letter) && attached.is_empty();
        let follows = next.filter(|next| takes && (letter == 'N' || next.parse::<u64>().is_ok()));
        let value = follows.unwrap_or(attached);
        let number = || value.parse::<u64>().map_err(|_| format!("{option} needs a number"));
        match letter {
            'c' => self.upto = number()?,
            'm' => self.max_depth = number()?,
            'w' => self.table = Some(number()? as u32),
            'k' => self.bits = Some(number()? as u8),
            'Q' => self.minutes = Some(number()?),
            'N' => self.claim = Some(value.to_string()),
            't' if attached == "_reverse" => self.ignored.push(option.to_string()),
            't' => self.suffix = attached.to_string(),
            'r' | 'C' | 'S' | 'g' | 'P' => self.replay = Some(attached.to_string()),
            'D' if !attached.is_empty() => self.define(attached),
            _ => self.ignored.push(option.to_string()),
        }
        Ok(follows.is_some())
    }

    /// Reads an option without a value. Returns whether it is one.
    fn flag(&mut self, letter: char, attached: &str) -> bool {
        if !attached.is_empty() {
            return false;
        }
        match letter {
            'a' => self.acceptance = true,
            'l' => self.non_progress = true,
            'f' => self.fair = true,
            'A' => self.assertions = false,
            'E' => self.end_states = false,
            'b' => self.bounded = true,
            'e' => (self.every, self.upto) = (true, 0),
            'i' => self.shorten = Shorten::Step,
            'I' => self.shorten = Shorten::Half,
            'n' => self.list_unreached = false,
            'q' => self.empty_channels = true,
            'J' => self.reverse_escapes = true,
            'v' => self.verbose = true,
            'x' => self.exclusive = true,
            'd' | 'D' => self.tables = true,
            'V' => self.version = true,
            'T' | 'X' | 'Y' => {}
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> PanOptions {
        let mut options = PanOptions::default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut at = 0;
        while at < words.len() {
            let taken = options.read(words[at], words.get(at + 1).copied()).unwrap();
            at += 1 + usize::from(taken);
        }
        options
    }

    #[test]
    fn options_are_those_of_pan() {
        let options = read("-a -f -A -E -c0 -m500 -w20 -N p1 -n -q -DBITSTATE -DNFAIR=3 -tout -Q2");
        assert!(options.acceptance && options.fair && !options.assertions && !options.end_states);
        assert_eq!((options.upto, options.max_depth, options.table()), (0, 500, 20));
        assert_eq!((options.claim.as_deref(), &*options.suffix, options.minutes), (Some("p1"), "out", Some(2)));
        assert!(options.has("BITSTATE") && options.has("NFAIR") && !options.list_unreached && options.empty_channels);
        assert_eq!(read("-m 700 -c 2").max_depth, 700);
        assert_eq!(read("-e").upto, 0);
        assert_eq!(read("-i").shorten, Shorten::Step);
        assert_eq!(read("-h5 -RS3").ignored, ["-h5", "-RS3"]);
        assert!(PanOptions::default().read("-mx", None).is_err());
    }
}
