//! The options of `spin`.

use kripke::request::Source;

use super::pan_options::PanOptions;

/// What `spin` is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Task {
    /// A random simulation.
    #[default]
    Simulate,
    /// `-a`: make a verifier.
    Generate,
    /// `-run`, `-search`: make a verifier and run it.
    Run,
    /// `-t`, `-replay`, `-k`: replay a trail.
    Replay,
    /// `-f`, `-F`: translate a formula.
    Translate,
    /// `-V`: print the version.
    Version,
}

/// The options of `spin`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SpinOptions {
    pub task: Task,
    pub file: Option<String>,
    /// How the text is read.
    pub source: Source,
    /// The options of a verifier.
    pub pan: PanOptions,
    /// The options of the text and of the verifier as they were given, for the stand-in.
    pub given: Vec<String>,
    /// Macros of a compiled stand-in: `-KDNAME`.
    pub given_macros: Vec<String>,
    /// A formula, or the file with one.
    pub formula: Option<String>,
    pub formula_file: Option<String>,
    pub statements: bool,
    pub globals: bool,
    pub locals: bool,
    pub sends: bool,
    pub receives: bool,
    pub columns: bool,
    /// A message sequence chart is written.
    pub chart: bool,
    /// The output of a process is not indented.
    pub flat: bool,
    pub interactive: bool,
    /// No list of the last state.
    pub brief: bool,
    /// No output of `printf`.
    pub silent: bool,
    pub seed: Option<u64>,
    /// The seed is printed at the end.
    pub seed_shown: bool,
    pub steps: Option<u64>,
    pub skipped: u64,
    /// The name of the trail, or its number.
    pub trail: Option<String>,
    pub number: Option<u64>,
    pub ignored: Vec<String>,
}

impl SpinOptions {
    /// Reads the arguments of `spin`.
    pub fn read(args: &[String]) -> Result<SpinOptions, String> {
        let mut options = SpinOptions::default();
        let mut at = 0;
        while at < args.len() {
            let next = args.get(at + 1).map(String::as_str);
            let taken = match &*args[at] {
                option if option.starts_with('-') && option.len() > 1 => {
                    if options.task == Task::Run {
                        options.after_run(option, next)?
                    } else {
                        options.option(option, next)?
                    }
                }
                file => {
                    options.file = Some(file.to_string());
                    false
                }
            };
            at += 1 + usize::from(taken);
        }
        Ok(options)
    }

    /// An option behind `-run`: one of the verifier.
    fn after_run(&mut self, option: &str, next: Option<&str>) -> Result<bool, String> {
        let define = match option {
            "-bfs" | "-bfspar" => Some("BFS"),
            "-bitstate" | "-bit" => Some("BITSTATE"),
            "-collapse" => Some("COLLAPSE"),
            "-noreduce" => Some("NOREDUCE"),
            "-noclaim" => Some("NOCLAIM"),
            "-hc" => Some("HC4"),
            "-safety" => Some("SAFETY"),
            _ => None,
        };
        if let Some(define) = define {
            self.pan.define(define);
            return Ok(false);
        }
        if option == "-ltl" {
            self.pan.claim = next.map(str::to_string);
            return Ok(next.is_some());
        }
        if option.starts_with("-O") && option.len() <= 3 {
            return Ok(false);
        }
        self.pan.read(option, next.filter(|next| *next != self.file.as_deref().unwrap_or_default()))
    }

    /// An option of `spin` itself. Returns whether the next argument is its value.
    fn option(&mut self, option: &str, next: Option<&str>) -> Result<bool, String> {
        let attached = |length: usize| option.get(length..).unwrap_or_default().to_string();
        match option {
            "-run" | "-search" => (self.task, self.pan.at_once) = (Task::Run, true),
            "-replay" => self.task = Task::Replay,
            _ if option.starts_with("-KD") => self.given_macros.push(attached(3)),
            _ => return self.letter(option, &attached(2), next),
        }
        Ok(false)
    }

    fn letter(&mut self, option: &str, attached: &str, next: Option<&str>) -> Result<bool, String> {
        let number = || attached.parse::<u64>().map_err(|_| format!("{option} needs a number"));
        let value = |flag: &str| next.map(str::to_string).ok_or_else(|| format!("{flag} needs a value"));
        match option.as_bytes()[1] {
            b'a' => self.task = Task::Generate,
            b't' => {
                self.task = Task::Replay;
                self.number = attached.parse().ok();
            }
            b'V' => self.task = Task::Version,
            b'D' | b'E' if attached.is_empty() => return Err(format!("{option} needs a name")),
            b'D' => self.text(option, |source| source.define.push(attached.to_string())),
            b'E' => self.preprocessor(option, attached),
            b'U' => self.text(option, |source| source.undefine.push(attached.to_string())),
            b'J' => self.text(option, |source| source.reverse_escapes = true),
            b'm' => self.text(option, |source| source.lossy = true),
            b'o' => {
                self.given.push(option.to_string());
                self.pan.define(&format!("KRIPKE_O{attached}"));
            }
            b'n' => self.seed = Some(number()?),
            b'u' => self.steps = Some(number()?),
            b'j' => self.skipped = number()?,
            b'k' => {
                self.task = Task::Replay;
                self.trail = Some(if attached.is_empty() { value("-k")? } else { attached.to_string() });
                return Ok(attached.is_empty());
            }
            b'f' | b'F' => return self.translate(option, attached, value(option)),
            _ => self.shown(option),
        }
        Ok(false)
    }

    /// Options of what is shown. Several letters may be one argument.
    fn shown(&mut self, option: &str) {
        for letter in option.chars().skip(1) {
            match letter {
                'p' => self.statements = true,
                'g' => self.globals = true,
                'l' => self.locals = true,
                's' => self.sends = true,
                'r' => self.receives = true,
                'c' => self.columns = true,
                'i' => self.interactive = true,
                'B' => self.brief = true,
                'b' => self.silent = true,
                // Options of tools around SPIN, and of its output, that change nothing here.
                'w' | 'W' | 'X' | 'L' | 'Q' | 'v' => {}
                'T' => self.flat = true,
                'M' => self.chart = true,
                'h' => self.seed_shown = true,
                _ => self.ignored.push(option.to_string()),
            }
        }
    }

    fn translate(&mut self, option: &str, attached: &str, next: Result<String, String>) -> Result<bool, String> {
        self.task = if self.task == Task::Generate { Task::Generate } else { Task::Translate };
        let separate = attached.is_empty();
        let value = if separate { next? } else { attached.to_string() };
        let place = if option.starts_with("-f") { &mut self.formula } else { &mut self.formula_file };
        *place = Some(value);
        Ok(separate)
    }

    /// An option that changes the meaning of the text, which the stand-in has to repeat.
    fn text(&mut self, option: &str, set: impl FnOnce(&mut Source)) {
        set(&mut self.source);
        self.given.push(option.to_string());
    }

    /// `-E` hands an option to the preprocessor.
    fn preprocessor(&mut self, option: &str, attached: &str) {
        if let Some(dir) = attached.strip_prefix("-I") {
            self.text(option, |source| source.include.push(dir.into()));
        } else if let Some(define) = attached.strip_prefix("-D") {
            self.text(option, |source| source.define.push(define.to_string()));
        } else {
            self.ignored.push(option.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> SpinOptions {
        SpinOptions::read(&line.split_whitespace().map(String::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn options_are_those_of_spin() {
        let options = read("-a -DN=3 -o1 -J m.pml");
        assert_eq!((options.task, options.file.as_deref()), (Task::Generate, Some("m.pml")));
        assert_eq!(options.source.define, ["N=3"]);
        assert!(options.source.reverse_escapes);
        assert_eq!(options.given, ["-DN=3", "-o1", "-J"]);
        let options = read("-p -g -l -n7 -u100 m.pml");
        assert!(options.statements && options.globals && options.locals);
        assert_eq!((options.task, options.seed, options.steps), (Task::Simulate, Some(7), Some(100)));
        let options = read("-t3 -pgl m.pml");
        assert_eq!((options.task, options.number), (Task::Replay, Some(3)));
        let options = read("-run -a -f -ltl p1 -m200 -DBITSTATE m.pml");
        assert!(options.task == Task::Run && options.pan.acceptance && options.pan.has("BITSTATE"));
        assert_eq!((options.pan.claim.as_deref(), options.pan.max_depth), (Some("p1"), 200));
        let options = read("-k x.trail -p m.pml");
        assert_eq!((options.trail.as_deref(), options.file.as_deref()), (Some("x.trail"), Some("m.pml")));
        assert_eq!(read("-f []p").formula.as_deref(), Some("[]p"));
    }
}
