//! The requests of the protocol, and those of Kripke: `kripke/…`.

use kripke_report::run::flat;
use kripke_report::stepping;
use serde_json::{Value, json};

use crate::client::Request;
use crate::debuggee::{Debuggee, FILTERS};
use crate::launch::{Launch, optional};
use crate::lines::Counting;
use crate::motion::Motion;
use crate::server::{Answer, Server};
use crate::values::{self, State};
use crate::{breakpoints, evaluate, frames, lines};

/// The reason why values can't be changed.
const UNCHANGEABLE: &str = "the values of a state can't be changed: the run would be none of the model; \
     choose another move to reach another state";

/// The commands that the console knows besides expressions.
const COMMANDS: &str = "\
an expression in the language of the model is evaluated; names of local variables are those of the selected process
:moves             list the enabled moves
:take N            take the enabled move N
:next, :back       one step forward, one step back
:jump N            go to step N of the run
:until CONDITION   go on until a condition holds
:rejoin            return to the trail that was left
:save [FILE]       write the run up to here as a trail file";

/// The references of the scopes of a process start here; those of parts of values are smaller.
const SCOPES: i64 = 1 << 24;

impl Server<'_> {
    /// The answer to a request.
    pub fn answer(&mut self, request: &Request) -> Result<Answer, String> {
        let given = &request.arguments;
        match request.command.as_str() {
            "initialize" => self.initialize(given).map(Answer::Body),
            "launch" | "restart" => self.launch(request),
            "attach" => Err("a model does not run before it is launched: use a launch configuration".to_string()),
            "configurationDone" => Ok(self.configured()),
            "setBreakpoints" => self.set_breakpoints(given).map(Answer::Body),
            "setExceptionBreakpoints" => self.set_filters(given).map(Answer::Body),
            "pause" | "cancel" => Ok(Answer::Body(Value::Null)),
            "terminate" => Ok(Answer::Terminated),
            "disconnect" => Ok(Answer::Disconnected),
            "setVariable" | "setExpression" => Err(UNCHANGEABLE.to_string()),
            _ => self.answer_at_stop(request),
        }
    }

    /// The answer to a request about the current state.
    fn answer_at_stop(&mut self, request: &Request) -> Result<Answer, String> {
        let given = &request.arguments;
        let counting = self.counting;
        let Some(debuggee) = &mut self.debuggee else {
            return Err(format!("`{}`: nothing is being debugged", request.command));
        };
        let body = match request.command.as_str() {
            "threads" => json!({ "threads": frames::threads(debuggee) }),
            "stackTrace" => stack_trace(debuggee, given, counting)?,
            "scopes" => scopes(given)?,
            "variables" => return self.variables(given).map(Answer::Body),
            "evaluate" => return self.evaluate(given),
            "stepInTargets" => json!({ "targets": targets(debuggee) }),
            "gotoTargets" => json!({ "targets": goto_targets(debuggee, given, counting)? }),
            "exceptionInfo" => exception(debuggee)?,
            "source" => json!({ "content": content(debuggee, given)? }),
            "loadedSources" => json!({ "sources": sources(debuggee) }),
            "breakpointLocations" => locations(debuggee, given, counting)?,
            "kripke/moves" => json!({ "moves": moves(debuggee, counting) }),
            "kripke/position" => position(debuggee),
            "kripke/steps" => json!({ "steps": steps(debuggee, given)? }),
            "kripke/save" => {
                return self.save(given["file"].as_str()).map(|text| Answer::Body(json!({ "text": text })));
            }
            _ => return motion(debuggee, request),
        };
        Ok(Answer::Body(body))
    }

    fn initialize(&mut self, given: &Value) -> Result<Value, String> {
        if given["pathFormat"].as_str().is_some_and(|format| format != "path") {
            return Err("only paths are supported as names of files".to_string());
        }
        let first = |name: &str| i64::from(given[name].as_bool() != Some(false));
        self.counting = Counting { line: first("linesStartAt1"), column: first("columnsStartAt1") };
        self.client.show_progress(given["supportsProgressReporting"].as_bool() == Some(true));
        Ok(capabilities())
    }

    fn launch(&mut self, request: &Request) -> Result<Answer, String> {
        let given = &request.arguments;
        let again = request.command == "restart";
        let launch = match (&self.launch, again) {
            (Some(_), false) => return Err("a model is being debugged already".to_string()),
            (None, true) => return Err("nothing was launched yet".to_string()),
            (Some(launch), true) if given["arguments"]["program"].is_null() => launch.clone(),
            (_, true) => Launch::read(&given["arguments"])?,
            (_, false) => Launch::read(given)?,
        };
        let opening = self.host.open(&launch, self.client)?;
        self.launch = Some(launch);
        Ok(Answer::Opened(opening))
    }

    fn configured(&mut self) -> Answer {
        let first = !std::mem::replace(&mut self.configured, true);
        let stops = self.launch.as_ref().is_none_or(|launch| launch.stop_on_entry);
        match first && self.debuggee.is_some() {
            true if stops => Answer::Motion(Motion::Start, Value::Null),
            true => Answer::Motion(Motion::Continue { here: true }, Value::Null),
            false => Answer::Body(Value::Null),
        }
    }

    fn set_breakpoints(&mut self, given: &Value) -> Result<Value, String> {
        let path = given["source"]["path"].as_str().ok_or("`source` has no `path`")?;
        let wanted = given["breakpoints"].as_array().cloned().unwrap_or_default();
        self.breakpoints.set(path, &wanted, self.counting)?;
        if let Some(debuggee) = &mut self.debuggee {
            self.breakpoints.resolve(Some(path), debuggee);
        }
        Ok(json!({ "breakpoints": self.breakpoints.shown(Some(path), self.counting) }))
    }

    fn set_filters(&mut self, given: &Value) -> Result<Value, String> {
        let list = given["filters"].as_array().ok_or("`filters` must be a list")?;
        let known = |name: &str| FILTERS.iter().any(|(known, _)| *known == name);
        let name = |value: &Value| match value.as_str() {
            Some(name) if known(name) => Ok(name.to_string()),
            _ => Err(format!("{value} is no exception filter")),
        };
        self.filters = list.iter().map(name).collect::<Result<_, _>>()?;
        Ok(Value::Null)
    }

    /// The parts of a scope or of a value.
    fn variables(&mut self, given: &Value) -> Result<Value, String> {
        let reference = given["variablesReference"].as_i64().ok_or("`variablesReference` is missing")?;
        let unknown = || "these variables belong to a state that was left".to_string();
        let debuggee = self.debuggee.as_ref().ok_or_else(unknown)?;
        let values = match reference.checked_sub(SCOPES).filter(|scope| *scope >= 0) {
            Some(scope) => scope_values(debuggee, scope),
            None => {
                let index = reference.checked_sub(1).and_then(|index| usize::try_from(index).ok());
                index.and_then(|index| self.parts.get(index)).cloned().ok_or_else(unknown)?
            }
        };
        let from = optional(given, "start", Value::as_u64, "a number")?.unwrap_or(0) as usize;
        let count = optional(given, "count", Value::as_u64, "a number")?.filter(|count| *count > 0);
        let count = count.map_or(usize::MAX, |count| count as usize);
        let named = given["filter"].as_str();
        let wanted = values.into_iter().filter(|value| match named {
            Some("named") => !value.name.starts_with('['),
            Some("indexed") => value.name.starts_with('['),
            _ => true,
        });
        let shown: Vec<Value> = wanted.skip(from).take(count).map(|value| self.variable(value)).collect();
        Ok(json!({ "variables": shown }))
    }

    /// A value for the client, with a reference to its parts.
    fn variable(&mut self, value: values::Value) -> Value {
        let mut shown = json!({ "name": value.name, "value": value.value, "variablesReference": 0 });
        if !value.kind.is_empty() {
            shown["type"] = json!(value.kind);
        }
        if !value.path.is_empty() {
            shown["evaluateName"] = json!(value.path);
        }
        if !value.parts.is_empty() {
            let kind = if value.parts[0].name.starts_with('[') { "indexedVariables" } else { "namedVariables" };
            shown[kind] = json!(value.parts.len());
            self.parts.push(value.parts);
            shown["variablesReference"] = json!(self.parts.len());
        }
        shown
    }

    fn evaluate(&mut self, given: &Value) -> Result<Answer, String> {
        let text = given["expression"].as_str().ok_or("`expression` is missing")?.trim();
        let pid = given["frameId"].as_i64().and_then(frames::process_of_frame);
        if let (Some(command), Some("repl")) = (text.strip_prefix(':'), given["context"].as_str()) {
            return self.command(command.trim(), pid);
        }
        let debuggee = self.debuggee.as_mut().ok_or("nothing is being debugged")?;
        let value = evaluate::value(debuggee, text, pid)?;
        let mut shown = self.variable(value);
        shown["result"] = shown["value"].take();
        Ok(Answer::Body(shown))
    }

    /// A command of the console.
    fn command(&mut self, text: &str, pid: Option<u8>) -> Result<Answer, String> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let said = |text: String| json!({ "result": text, "variablesReference": 0 });
        let number =
            || rest.parse::<usize>().map_err(|_| format!("`:{word}` needs a number; `:help` lists the commands"));
        let debuggee = self.debuggee.as_mut().ok_or("nothing is being debugged")?;
        let motion = match word {
            "moves" => return Ok(Answer::Body(said(moves_text(debuggee)))),
            "save" => {
                let name = Some(rest).filter(|name| !name.is_empty());
                return self.save(name).map(|text| Answer::Body(said(text)));
            }
            "take" => checked_take(debuggee, number()?)?,
            "next" => Motion::Next,
            "back" => Motion::Back,
            "jump" => checked_jump(debuggee, number()?)?,
            "until" => checked_until(debuggee, rest, pid)?,
            "rejoin" => checked_rejoin(debuggee)?,
            "help" | "" => return Ok(Answer::Body(said(COMMANDS.to_string()))),
            _ => return Err(format!("there is no command `:{word}`; `:help` lists the commands")),
        };
        Ok(Answer::Motion(motion, said(String::new())))
    }

    fn save(&self, name: Option<&str>) -> Result<String, String> {
        let (Some(debuggee), Some(launch)) = (&self.debuggee, &self.launch) else {
            return Err("nothing is being debugged".to_string());
        };
        self.host.save(&debuggee.session, launch, name)
    }
}

fn capabilities() -> Value {
    let filters = FILTERS.map(|(name, label)| json!({ "filter": name, "label": label, "default": true }));
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsStepInTargetsRequest": true,
        "supportsGotoTargetsRequest": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsCancelRequest": true,
        "supportsSetVariable": false,
        "exceptionBreakpointFilters": filters,
    })
}

/// The requests that move along the run.
fn motion(debuggee: &mut Debuggee, request: &Request) -> Result<Answer, String> {
    let given = &request.arguments;
    let process = || {
        let thread = given["threadId"].as_i64().ok_or("`threadId` is missing")?;
        frames::process(thread)
    };
    let target = || given["targetId"].as_i64();
    let number = |name: &str| given[name].as_u64().map(|n| n as usize).ok_or(format!("`{name}` must be a number"));
    let motion = match request.command.as_str() {
        "next" => Motion::Next,
        "stepBack" => Motion::Back,
        "continue" => {
            return Ok(Answer::Motion(Motion::Continue { here: false }, json!({ "allThreadsContinued": true })));
        }
        "reverseContinue" => Motion::Reverse,
        "stepIn" => match target() {
            Some(target) => checked_take(debuggee, usize::try_from(target).unwrap_or(0))?,
            None => process()?.map_or(Motion::Next, Motion::Into),
        },
        "stepOut" => process()?.map_or(Motion::Next, Motion::Out),
        "goto" => {
            let step = target().and_then(|target| usize::try_from(target).ok()).ok_or("`targetId` is missing")?;
            checked_jump(debuggee, step)?
        }
        "kripke/take" => checked_take(debuggee, number("move")?)?,
        "kripke/jump" => checked_jump(debuggee, number("step")?)?,
        "kripke/until" => checked_until(debuggee, given["condition"].as_str().unwrap_or_default(), None)?,
        "kripke/rejoin" => checked_rejoin(debuggee)?,
        unknown => return Err(format!("the request `{unknown}` is not supported")),
    };
    Ok(Answer::Motion(motion, Value::Null))
}

/// Moves are counted from 1.
fn checked_take(debuggee: &Debuggee, number: usize) -> Result<Motion, String> {
    let index = number.checked_sub(1).filter(|index| *index < debuggee.session.moves().len());
    index.map(Motion::Take).ok_or_else(|| format!("there is no move {number}"))
}

fn checked_jump(debuggee: &Debuggee, step: usize) -> Result<Motion, String> {
    let steps = debuggee.session.len();
    if step <= steps { Ok(Motion::Jump(step)) } else { Err(format!("the run has only {steps} steps")) }
}

fn checked_until(debuggee: &mut Debuggee, condition: &str, pid: Option<u8>) -> Result<Motion, String> {
    evaluate::number(debuggee, condition, pid)?;
    Ok(Motion::Until(condition.to_string(), pid))
}

fn checked_rejoin(debuggee: &Debuggee) -> Result<Motion, String> {
    let left = debuggee.session.left().is_some();
    left.then_some(Motion::Rejoin).ok_or_else(|| "the run is the trail, or there is none".to_string())
}

fn stack_trace(debuggee: &Debuggee, given: &Value, counting: Counting) -> Result<Value, String> {
    let thread = given["threadId"].as_i64().ok_or("`threadId` is missing")?;
    let frames = match frames::process(thread)? {
        Some(pid) if !frames::alive(debuggee).contains(&pid) => return Err(format!("there is no thread {thread}")),
        Some(pid) => frames::stack(debuggee, pid, counting),
        None => Vec::new(),
    };
    let total = frames.len();
    let from = given["startFrame"].as_u64().unwrap_or(0) as usize;
    let levels = given["levels"].as_u64().filter(|n| *n > 0).map_or(usize::MAX, |n| n as usize);
    let frames: Vec<Value> = frames.into_iter().skip(from).take(levels).collect();
    Ok(json!({ "stackFrames": frames, "totalFrames": total }))
}

/// The scopes of a frame: locals, globals, channels.
fn scopes(given: &Value) -> Result<Value, String> {
    let frame = given["frameId"].as_i64().ok_or("`frameId` is missing")?;
    let pid = frames::process_of_frame(frame).ok_or_else(|| format!("there is no frame {frame}"))?;
    let scope = |name: &str, kind: i64| {
        let reference = SCOPES + i64::from(pid) * 4 + kind;
        let hint = name.to_lowercase();
        json!({ "name": name, "presentationHint": hint, "variablesReference": reference, "expensive": false })
    };
    Ok(json!({ "scopes": [scope("Locals", 0), scope("Globals", 1), scope("Channels", 2)] }))
}

fn scope_values(debuggee: &Debuggee, scope: i64) -> Vec<values::Value> {
    let view = debuggee.session.run().view(debuggee.session.at());
    let state = State { run: debuggee.session.run(), names: debuggee.session.names(), view: &view };
    match (scope % 4, u8::try_from(scope / 4)) {
        (0, Ok(pid)) => state.locals(pid),
        (1, _) => state.variables(None),
        (2, _) => state.channels(),
        _ => Vec::new(),
    }
}

/// The enabled moves, in the words of the views.
fn described(debuggee: &Debuggee) -> Vec<(stepping::Past, bool)> {
    let session = &debuggee.session;
    let past = |taken| (stepping::past(session.run(), session.names(), taken), session.is_next(taken));
    session.moves().iter().map(past).collect()
}

/// The enabled moves as targets of a step.
fn targets(debuggee: &Debuggee) -> Vec<Value> {
    let target = |(n, (past, next)): (usize, (stepping::Past, bool))| {
        let mark = if next { " (the next step of the run)" } else { "" };
        json!({ "id": n + 1, "label": format!("{}: {}{mark}", past.process, past.statement) })
    };
    described(debuggee).into_iter().enumerate().map(target).collect()
}

fn moves(debuggee: &Debuggee, counting: Counting) -> Vec<Value> {
    let run = debuggee.session.run();
    let each = |(n, (past, next)): (usize, (stepping::Past, bool))| {
        let taken = &debuggee.session.moves()[n];
        let span = kripke_report::source::Lines::own(run.edge(taken.process, taken.edge));
        let mut shown = counting.place(run.model(), span);
        shown["move"] = json!(n + 1);
        shown["process"] = json!(past.process);
        shown["threadId"] = json!(past.pid.map(frames::thread));
        shown["statement"] = json!(past.statement);
        shown["next"] = json!(next);
        shown["source"] = lines::source(run, span.file);
        shown
    };
    described(debuggee).into_iter().enumerate().map(each).collect()
}

fn moves_text(debuggee: &Debuggee) -> String {
    let line = |(n, (past, next)): (usize, (stepping::Past, bool))| {
        let mark = if next { '*' } else { ' ' };
        format!("{mark}{:>3}  {}  {}   line {}", n + 1, past.process, past.statement, past.line)
    };
    let lines: Vec<String> = described(debuggee).into_iter().enumerate().map(line).collect();
    if lines.is_empty() { "no process can move".to_string() } else { lines.join("\n") }
}

/// The steps of the run that execute a statement of a line.
fn goto_targets(debuggee: &Debuggee, given: &Value, counting: Counting) -> Result<Vec<Value>, String> {
    let path = given["source"]["path"].as_str().ok_or("`source` has no `path`")?;
    let line = counting.read(given["line"].as_i64().ok_or("`line` is missing")?);
    let run = debuggee.session.run();
    let file = lines::file(run, path).ok_or("the model has no such file")?;
    let at = |n: &usize| {
        let executed = Debuggee::executed(run, &run.moves()[*n]);
        executed.iter().any(|e| Debuggee::lines(run, *e).contains(&(file, line)))
    };
    let target = |n: usize| {
        let past = stepping::past(run, debuggee.session.names(), &run.moves()[n]);
        let label = format!("before step {}: {}: {}", n + 1, past.process, past.statement);
        json!({ "id": n, "label": label, "line": counting.shown(line) })
    };
    Ok((0..run.moves().len()).filter(at).map(target).collect())
}

fn exception(debuggee: &Debuggee) -> Result<Value, String> {
    let (filter, what) = debuggee.error().ok_or("there is no error in this state")?;
    let session = &debuggee.session;
    let waiting = if filter == "end-state" {
        kripke_report::screen::deadlock(session.run(), session.names())
    } else {
        String::new()
    };
    Ok(json!({
        "exceptionId": filter,
        "description": what,
        "breakMode": "always",
        "details": { "message": plain(&format!("{what}\n{waiting}")) },
    }))
}

/// A text without the escape sequences of styles.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    (out + rest).trim_end().to_string()
}

fn content<'a>(debuggee: &'a Debuggee, given: &Value) -> Result<&'a str, String> {
    let path = given["source"]["path"].as_str().ok_or("`source` has no `path`")?;
    let run = debuggee.session.run();
    let file = lines::file(run, path).ok_or("the model has no such file")?;
    Ok(&run.model().files[file.index()].text)
}

fn sources(debuggee: &Debuggee) -> Vec<Value> {
    let run = debuggee.session.run();
    let files = (0..).zip(&run.model().files).filter(|(_, file)| !file.asked);
    files.map(|(n, _)| lines::source(run, kripke_model::ir::FileId(n))).collect()
}

/// The lines of a range on which statements start.
fn locations(debuggee: &Debuggee, given: &Value, counting: Counting) -> Result<Value, String> {
    let path = given["source"]["path"].as_str().ok_or("`source` has no `path`")?;
    let first = given["line"].as_i64().ok_or("`line` is missing")?;
    let last = given["endLine"].as_i64().unwrap_or(first);
    let run = debuggee.session.run();
    let Some(file) = lines::file(run, path) else { return Ok(json!({ "breakpoints": [] })) };
    let mut starts: Vec<i64> =
        breakpoints::statements(run, file).iter().map(|(line, _)| counting.shown(*line)).collect();
    starts.dedup();
    let within = starts.into_iter().filter(|line| (first..=last).contains(line));
    Ok(json!({ "breakpoints": within.map(|line| json!({ "line": line })).collect::<Vec<_>>() }))
}

/// The position in the run, and what the run is.
fn position(debuggee: &Debuggee) -> Value {
    let session = &debuggee.session;
    json!({
        "step": session.at(),
        "steps": session.len(),
        "pass": debuggee.laps + 1,
        "cycle": debuggee.cycle().map(|(first, last)| json!({ "first": first, "last": last })),
        "isReplay": session.is_replay(),
        "onTrail": session.is_on_trail(),
        "error": session.verdict().map(|error| error.to_string()),
        "text": debuggee.position(),
    })
}

/// The steps of a part of the run, for a list of them.
fn steps(debuggee: &Debuggee, given: &Value) -> Result<Vec<Value>, String> {
    let session = &debuggee.session;
    let from = optional(given, "start", Value::as_u64, "a number")?.unwrap_or(0) as usize;
    let count = optional(given, "count", Value::as_u64, "a number")?.unwrap_or(u64::MAX);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let shown = |(n, taken)| {
        let past = stepping::past(session.run(), session.names(), taken);
        json!({ "step": n + 1, "process": past.process, "line": past.line, "statement": flat(&past.statement) })
    };
    Ok(session.run().moves().iter().enumerate().skip(from).take(count).map(shown).collect())
}
