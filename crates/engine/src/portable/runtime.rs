//! The parts of the text that are written for a model: conversion of states, operations of the runtime, and `expand`.

use std::fmt::Write;
use std::mem::{offset_of, size_of};

use kripke_model::ir::{Direction, Location};
use kripke_model::layout::{Buffer, ChannelAt, Width};
use kripke_model::words::Position;

use super::Source;
use crate::code::Role;
use crate::context::{Context, GOAL, MAX_OBSERVER_EDGES, ask, question, status};
use crate::facts::Site;
use crate::runtime::Call;
use crate::trace::{Channel, Operation};

/// The number of points inside atomic sequences that one expansion can have.
const POINTS: usize = 24;

/// The name of the C++ form of a function of the runtime, by its number. A function that has none is refused.
pub(super) fn name(number: i64) -> Option<&'static str> {
    let names = [
        (Call::Pack, "rt_pack"),
        (Call::Copy, "rt_copy"),
        (Call::Emit, "rt_emit"),
        (Call::Insert, "rt_insert"),
        (Call::Remove, "rt_remove"),
        (Call::Answer, "rt_answer"),
        (Call::SetPriority, "rt_set_priority"),
        (Call::Follow, "rt_follow"),
    ];
    names.iter().find(|(call, _)| call.number() == number).map(|(_, name)| *name)
}

/// The name of the function that answers a question. Those that do not depend on whether processes are enabled have one of their own: the
/// functions that decide that may ask them, and code for a device must not be recursive.
pub(super) fn name_of_answer(question: Option<i64>) -> &'static str {
    let looks = [question::NON_PROGRESS, question::LOCATION, question::PRIORITY];
    match question.is_some_and(|asked| looks.iter().any(|look| i64::from(*look) == asked)) {
        true => "rt_look",
        false => "rt_answer",
    }
}

/// The loading of a field of this width at an address.
fn load(width: Width, at: &str) -> String {
    match width {
        Width::U8 => format!("(i32)ld1({at})"),
        Width::I8 => format!("(i32)(i8)ld1({at})"),
        Width::U16 => format!("(i32)ld2({at})"),
        Width::I16 => format!("(i32)(i16)ld2({at})"),
        Width::I32 => format!("(i32)ld4({at})"),
    }
}

impl Source<'_> {
    /// The constants of the model.
    pub(super) fn definitions(&self) -> String {
        let fields = self.layout.buffers.iter().map(|buffer| buffer.fields.len()).max().unwrap_or(0).max(1);
        format!(
            "#define MODEL_WORDS {}\n#define MODEL_BITS {}\n#define MODEL_FIELDS {fields}\n",
            self.words.word_count(),
            self.words.bits()
        )
    }

    /// The number of a function.
    fn function(&self, role: Role, process: Option<(u32, u32)>) -> Option<usize> {
        self.names.iter().position(|(other, of, pid)| {
            let owner =
                |(process, number): (u32, u32)| if self.per_process { *pid == Some(number) } else { *of == process };
            *other == role && process.is_none_or(owner)
        })
    }

    /// The operations of the runtime.
    pub(super) fn runtime(&self, text: &mut String) {
        self.unpack(text);
        self.pack(text);
        self.tables(text);
        self.emit(text);
        self.may_end(text);
        self.look(text);
        self.enabled(text);
        self.answer(text);
        self.set_priority(text);
        self.follow(text);
        for (number, buffer) in self.layout.buffers.iter().enumerate().filter(|(_, buffer)| buffer.capacity > 0) {
            insert(text, number, buffer);
            remove(text, number, buffer);
        }
    }

    /// The conversion of words to a packed state.
    fn unpack(&self, text: &mut String) {
        text.push_str("HD void unpack(const u64* w, u8* b) {\nu64 x;\n");
        let varying = self.varying();
        for (at, byte) in self.facts.sample.iter().enumerate().filter(|(at, _)| !varying[*at]) {
            let _ = writeln!(text, "b[{at}] = {byte};");
        }
        for (offset, Position { bytes, least, bits, first }) in self.words.fields(self.shape) {
            let (word, shift, mask) = (first / 64, first % 64, u64::MAX >> (64 - bits));
            let mut value = format!("w[{word}] >> {shift}");
            if shift + bits > 64 {
                let _ = write!(value, " | w[{}] << {}", word + 1, 64 - shift);
            }
            let _ = writeln!(text, "x = (({value}) & {mask}ull) + {least}ull; st{bytes}(b + {offset}, (u32)x);");
        }
        text.push_str("}\n");
    }

    /// Whether each byte of a packed state is part of a field that varies.
    fn varying(&self) -> Vec<bool> {
        let mut varying = vec![false; self.facts.sample.len()];
        for (offset, position) in self.words.fields(self.shape) {
            varying[offset..offset + position.bytes].fill(true);
        }
        varying
    }

    /// The conversion of a packed state to words. The result is not 0 if it does not fit.
    fn pack(&self, text: &mut String) {
        let words = self.words.word_count();
        text.push_str("template <class Em> HD u32 rt_pack(Context<Em>*, const u8* b, u64* to) {\nu64 x, bad = 0;\n");
        let _ = writeln!(text, "u64 w[MODEL_WORDS] = {{{}ull}};", self.shape);
        for (offset, Position { bytes, least, bits, first }) in self.words.fields(self.shape) {
            let (word, shift) = (first / 64, first % 64);
            let (size, mask) = (u64::MAX >> (64 - 8 * bytes), u64::MAX >> (64 - bits));
            let _ = writeln!(
                text,
                "x = ((u64)ld{bytes}(b + {offset}) - {least}ull) & {size}ull; bad |= x & ~{mask}ull; w[{word}] |= x << {shift};"
            );
            if shift + bits > 64 {
                let _ = writeln!(text, "w[{}] |= x >> {};", word + 1, 64 - shift);
            }
        }
        let varying = self.varying();
        for (at, byte) in self.facts.sample.iter().enumerate().filter(|(at, _)| !varying[*at]) {
            let _ = writeln!(text, "bad |= b[{at}] ^ {byte};");
        }
        let _ = writeln!(text, "if (bad) return 1;\nfor (int i = 0; i < {words}; i++) to[i] = w[i];\nreturn 0;\n}}");
    }

    /// The tables of the context: the places of channels and of processes.
    fn tables(&self, text: &mut String) {
        text.push_str("HD u32 context_table(u64 at) {\nswitch (at) {\n");
        for (number, channel) in self.facts.channels.iter().enumerate() {
            let start = offset_of!(Context, channels) + number * size_of::<ChannelAt>();
            for (offset, value) in [
                (offset_of!(ChannelAt, declaration), channel.declaration),
                (offset_of!(ChannelAt, offset), channel.offset),
            ] {
                let _ = writeln!(text, "case {}: return {value};", start + offset);
            }
        }
        for (number, site) in self.facts.sites.iter().enumerate() {
            let _ = writeln!(text, "case {}: return {};", offset_of!(Context, processes) + 4 * number, site.base);
        }
        text.push_str("}\nreturn 0;\n}\n");
    }

    /// The location of a process in the state `b`.
    fn location(&self, site: &Site) -> String {
        let wide = self.layout.frames[site.process as usize].wide_location;
        format!("ld{}(b + {})", if wide { 2 } else { 1 }, site.base + 1)
    }

    /// The priority of a process in the state `b`.
    fn priority(&self, site: &Site) -> String {
        let offset = self.layout.frames[site.process as usize].priority;
        offset.map_or("1".to_string(), |offset| format!("(i32)b[{}]", site.base as usize + offset))
    }

    /// Answers to questions of compiled code about locations and priorities. -1 if the state has to be left.
    fn look(&self, text: &mut String) {
        let sites = || self.facts.sites.iter().enumerate();
        text.push_str("HD i32 rt_priority(const u8* b, i32 pid) {\nswitch (pid) {\n");
        for (pid, site) in sites() {
            let _ = writeln!(text, "case {pid}: return {};", self.priority(site));
        }
        text.push_str("}\nreturn 0;\n}\n");
        text.push_str("template <class Em> HD u32 rt_look(Context<Em>*, const u8* b, u32 question, u32 pid) {\n");
        let _ = writeln!(text, "switch (question) {{\ncase {}: {{", question::NON_PROGRESS);
        for (_, site) in sites() {
            let locations = self.model.processes[site.process as usize].locations.iter().enumerate();
            for (number, _) in locations.filter(|(_, location)| location.progress) {
                let _ = writeln!(text, "if ({} == {number}) return 0;", self.location(site));
            }
        }
        let _ = writeln!(text, "return 1; }}\ncase {}: switch (pid) {{", question::LOCATION);
        for (pid, site) in sites() {
            let _ = writeln!(text, "case {pid}: return {};", self.location(site));
        }
        let priority = question::PRIORITY;
        let _ = writeln!(
            text,
            "default: return 0; }}\ncase {priority}: return (u32)rt_priority(b, (i32)pid);\n}}\nreturn (u32)-1;\n}}"
        );
    }

    /// Whether a process is enabled. -1 if the state has to be left.
    fn enabled(&self, text: &mut String) {
        text.push_str("template <class Em> HD i32 rt_enabled(Context<Em>* c, u8* b, u32 pid, u32 ask) {\n");
        text.push_str("u32 saved = c->ask; int answer = 2; c->ask = ask;\nswitch (pid) {\n");
        for (pid, site) in self.facts.sites.iter().enumerate() {
            if let Some(enabled) = self.function(Role::Enabled, Some((site.process, pid as u32))) {
                let _ = writeln!(text, "case {pid}: answer = f{enabled}<Em>(c, b, {}, {pid}); break;", site.base);
            }
        }
        let (done, yes) = (status::DONE, status::YES);
        let _ = writeln!(text, "}}\nc->ask = saved;\nreturn answer == {done} ? 0 : answer == {yes} ? 1 : -1;\n}}");
    }

    /// Answers to questions that depend on whether processes are enabled. -1 if the state has to be left.
    fn answer(&self, text: &mut String) {
        text.push_str("template <class Em> HD u32 rt_answer(Context<Em>* c, u8* b, u32 question, u32 pid) {\nswitch (question) {\n");
        let count = self.facts.sites.len();
        let _ = writeln!(
            text,
            "case {}: return pid < {count} ? (u32)rt_enabled<Em>(c, b, pid, 0) : 0;\n\
             case {}: case {}: {{\nif (pid >= {count}) return (u32)-1;\ni32 mine = rt_priority(b, (i32)pid);\n\
             u32 ask = question == {} ? {} : {};\n\
             for (u32 other = 0; other < {count}; other++) if (other != pid && rt_priority(b, (i32)other) > mine) {{\n\
             i32 x = rt_enabled<Em>(c, b, other, ask); if (x) return (u32)x;\n}}\nreturn 0; }}\n}}\nreturn (u32)-1;\n}}",
            question::ENABLED,
            question::OUTRANKED,
            question::OUTRANKED_RECEIVER,
            question::OUTRANKED,
            ask::PROVIDED,
            ask::PROVIDED | ask::MEET,
        );
    }

    /// The change of a priority. The result is not 0 if that is a fault.
    fn set_priority(&self, text: &mut String) {
        text.push_str(
            "template <class Em> HD u32 rt_set_priority(Context<Em>*, u8* b, u64 count, u32 pid, u32 to) {\n",
        );
        text.push_str("if ((i32)pid < 0 || pid >= count) return 0;\nif ((i32)to < 1 || (i32)to > 255) return 1;\nswitch (pid) {\n");
        for (pid, site) in self.facts.sites.iter().enumerate() {
            if let Some(offset) = self.layout.frames[site.process as usize].priority {
                let _ = writeln!(text, "case {pid}: b[{}] = (u8)to; break;", site.base as usize + offset);
            }
        }
        text.push_str("}\nreturn 0;\n}\n");
    }

    /// The move of the trace automaton. The result is not 0 if the operation violates it.
    fn follow(&self, text: &mut String) {
        let Some(trace) = self.trace else { return };
        text.push_str(
            "template <class Em> HD u32 rt_follow(Context<Em>* c, u8* b, u64, u32 number, u32 fields, u32 send) {\n(void)fields;\n",
        );
        let about = |operation: &Operation| {
            let channel = match &operation.channel {
                Channel::Number(n) => n.to_string(),
                Channel::Named(slot) => load(slot.width, &format!("b + {}", slot.offset)),
            };
            let send = if operation.direction == Direction::Send { "send" } else { "!send" };
            format!("({send} && {channel} == (i32)number)")
        };
        let (at, end) = (trace.at, trace.end.0);
        let all: Vec<String> = trace.edges.iter().flatten().map(about).collect();
        let any = if all.is_empty() { "0".to_string() } else { all.join(" || ") };
        let _ = writeln!(text, "u32 here = ld2(b + {at});\nif (here == {end} || !({any})) return 0;\nswitch (here) {{");
        for (number, edges) in trace.locations.iter().enumerate() {
            let _ = writeln!(text, "case {number}:");
            for operation in edges.iter().filter_map(|edge| trace.edges[*edge].as_ref()) {
                let fits =
                    |(i, arg): (usize, &Option<i32>)| arg.map(|arg| format!(" && (i32)c->message[{i}] == {arg}"));
                let fits: String = operation.args.iter().enumerate().filter_map(fits).collect();
                let (target, violated) = (operation.target.0, trace.negated && operation.target == trace.end);
                let _ = writeln!(
                    text,
                    "if ({}{fits}) {{ st2(b + {at}, {target}); return {}; }}",
                    about(operation),
                    u32::from(violated)
                );
            }
            text.push_str("break;\n");
        }
        match trace.negated {
            true => {
                let _ = writeln!(text, "}}\nst2(b + {at}, {end});\nreturn 0;\n}}");
            }
            false => text.push_str("}\nreturn 1;\n}\n"),
        }
    }

    /// The function that takes a successor. With an observer, it makes one for each enabled edge.
    fn emit(&self, text: &mut String) {
        let Some(observer) = &self.model.observer else {
            text.push_str(
                "template <class Em> HD u32 rt_emit(Context<Em>* c) {\n\
                 State s;\nfor (int i = 0; i < MODEL_WORDS; i++) s.w[i] = c->emitted[i];\n(*c->em)(s);\nreturn 0;\n}\n",
            );
            return;
        };
        text.push_str("HD u32 observer_target(u32 at, u32 edge) {\nswitch (at * 64 + edge) {\n");
        for (at, location) in observer.automaton.locations.iter().enumerate() {
            for (bit, id) in location.edges.iter().enumerate() {
                let target = observer.automaton.edges[id.index()].target.0;
                let _ = writeln!(text, "case {}: return {target};", at * 64 + bit);
            }
        }
        text.push_str("}\nreturn 0;\n}\n");
        text.push_str(
            "template <class Em> HD u32 rt_emit(Context<Em>* c) {\n\
             for (u32 edge = 0; edge < MODEL_OBSERVER_EDGES; edge++) if (c->observed >> edge & 1) {\n\
             State s;\nfor (int i = 0; i < MODEL_WORDS; i++) s.w[i] = c->emitted[i];\n",
        );
        let at = self.layout.observer.and_then(|at| self.words.position(self.shape, at.offset));
        if let Some(Position { least, bits, first, .. }) = at {
            let (word, shift, mask) = (first / 64, first % 64, u64::MAX >> (64 - bits));
            let _ = writeln!(text, "u64 x = (u64)(observer_target(c->watcher, edge) - {least}u) & {mask}ull;");
            let _ = writeln!(text, "s.w[{word}] = (s.w[{word}] & ~({mask}ull << {shift})) | x << {shift};");
            if shift + bits > 64 {
                let (next, done) = (word + 1, 64 - shift);
                let _ = writeln!(text, "s.w[{next}] = (s.w[{next}] & ~({mask}ull >> {done})) | x >> {done};");
            }
        }
        text.push_str("(*c->em)(s);\n}\nreturn 0;\n}\n");
        let most = observer.automaton.locations.iter().map(|l| l.edges.len()).max().unwrap_or(0);
        debug_assert!(most <= MAX_OBSERVER_EDGES);
        text.insert_str(0, &format!("#define MODEL_OBSERVER_EDGES {most}\n"));
    }

    /// The function that expands a state.
    pub(super) fn expand(&self, text: &mut String) {
        let tag_mask = (1u64 << self.words.tag_bits()) - 1;
        let len = self.facts.sample.len();
        let _ = writeln!(
            text,
            "template <class Em> HD int expand(const State& s, Em& em) {{\n\
             if ((s.w[0] & {tag_mask}ull) != {}ull) return MODEL_LEFT;\n\
             Context<Em> context; Context<Em>* c = &context; State next;\n\
             u8 root[{len} + 16], scratch[{len} + 16], half[{len} + 16];\n\
             for (int i = 0; i < MODEL_WORDS; i++) c->words[i] = c->half_words[i] = s.w[i];\n\
             c->em = &em; c->emitted = next.w; c->scratch = scratch; c->half = half; c->half_limit = half; c->before = root;\n\
             c->out = 0; c->branches = c->timeout = c->ask = c->urgent = 0; c->observed = 0; c->watcher = 0;\n\
             c->inner = c->inner_limit = c->inner_start = c->pending = c->pending_start = c->pending_limit = root;\n\
             unpack(s.w, root);",
            self.shape
        );
        self.observe(text);
        let defers = self.function(Role::Defer, None).is_some();
        if defers {
            let _ = writeln!(
                text,
                "u8 inner[{POINTS} * {len} + 16], current[{len} + 16], pending[{POINTS} * 16];\n\
                 c->inner = c->inner_start = inner; c->inner_limit = inner + {} * {len};\n\
                 c->pending = c->pending_start = pending; c->pending_limit = pending + sizeof pending;",
                POINTS - 1
            );
        }
        let all = self.function(Role::Successors, None).unwrap_or(0);
        let _ = writeln!(text, "if (f{all}<Em>(c, root, 0, 0)) return MODEL_LEFT;");
        if defers {
            self.run_points(text);
        }
        let is_decided = self.trace.is_none() && self.model.observer.is_none();
        let end = if is_decided { "may_end(root) ? MODEL_DONE : MODEL_STUCK" } else { "MODEL_LEFT" };
        let _ = writeln!(text, "return em.emitted != 0 ? MODEL_DONE : {end};\n}}");
    }

    /// Whether a state without successors is a valid end state.
    fn may_end(&self, text: &mut String) {
        text.push_str("HD bool may_end(const u8* b) {\n");
        for site in &self.facts.sites {
            let _ = writeln!(text, "switch ({}) {{", self.location(site));
            let locations = self.model.processes[site.process as usize].locations.iter().enumerate();
            for (number, _) in locations.filter(|(_, location)| location.end) {
                let _ = writeln!(text, "case {number}:");
            }
            text.push_str("break;\ndefault: return false;\n}\n");
        }
        text.push_str("return true;\n}\n");
    }

    /// Whether a state is accepting. Of states of another shape the host has to tell.
    pub(super) fn accepting(&self, text: &mut String) {
        text.push_str("HD bool is_accepting(const State& s) {\n");
        let (Some(observer), Some(at)) = (&self.model.observer, self.layout.observer) else {
            return text.push_str("return false;\n}\n");
        };
        let (mask, len) = ((1u64 << self.words.tag_bits()) - 1, self.facts.sample.len());
        let _ = writeln!(text, "if ((s.w[0] & {mask}ull) != {}ull) return false;", self.shape);
        let _ = writeln!(text, "u8 b[{len} + 16];\nunpack(s.w, b);");
        let location = format!("ld{}(b + {})", if at.wide { 2 } else { 1 }, at.offset);
        accept_at(text, &location, &observer.automaton.locations);
        for site in self.facts.sites.iter().filter(|_| observer.labels) {
            accept_at(text, &self.location(site), &self.model.processes[site.process as usize].locations);
        }
        text.push_str("return false;\n}\n");
    }

    /// Evaluates the observer and the goal.
    fn observe(&self, text: &mut String) {
        let Some(observe) = self.function(Role::Observe, None) else { return };
        let _ = writeln!(text, "if (f{observe}<Em>(c, root, 0, 0)) return MODEL_LEFT;");
        let _ = writeln!(text, "if (c->observed & {GOAL}ull) return MODEL_LEFT;");
        let (Some(observer), Some(at)) = (&self.model.observer, self.layout.observer) else { return };
        let _ = writeln!(text, "c->watcher = ld{}(root + {});", if at.wide { 2 } else { 1 }, at.offset);
        text.push_str("switch (c->watcher) {\n");
        for (number, _) in observer.automaton.locations.iter().enumerate().filter(|(_, l)| l.end) {
            let _ = writeln!(text, "case {number}: return MODEL_LEFT;");
        }
        let mask = (1u64 << MAX_OBSERVER_EDGES) - 1;
        let _ = writeln!(text, "default: break;\n}}\nif (!(c->observed & {mask}ull)) return MODEL_DONE;");
    }

    /// Makes successors of the points inside atomic sequences.
    fn run_points(&self, text: &mut String) {
        let len = self.facts.sample.len();
        text.push_str(
            "for (u8* p = c->pending_start; p != c->pending; p += 16) {\n\
             u8* point = c->inner_start + ld4(p);\n\
             if (ld4(p + 12)) {\nc->timeout = 0;\n",
        );
        let _ = writeln!(text, "for (int i = 0; i < {len}; i++) current[i] = point[i];");
        text.push_str(
            "if (rt_pack<Em>(c, current, c->words)) return MODEL_LEFT;\n\
             u32 emitted = em.emitted; u8* made = c->pending; int answer = 0;\nswitch (ld4(p + 8)) {\n",
        );
        for (pid, site) in self.facts.sites.iter().enumerate() {
            if let Some(moves) = self.function(Role::Moves, Some((site.process, pid as u32))) {
                let _ = writeln!(text, "case {pid}: answer = f{moves}<Em>(c, current, {}, {pid}); break;", site.base);
            }
        }
        let bytes = self.words.bytes();
        let _ = writeln!(
            text,
            "}}\nif (answer) return MODEL_LEFT;\nif (em.emitted != emitted || c->pending != made) continue;\n}}\n\
             if (rt_pack<Em>(c, point, c->emitted)) return MODEL_LEFT;\n\
             rt_emit<Em>(c); c->out += {bytes};\n}}"
        );
    }
}

/// Tests whether a location is an accepting one.
fn accept_at(text: &mut String, location: &str, locations: &[Location]) {
    let _ = writeln!(text, "switch ({location}) {{");
    for (number, _) in locations.iter().enumerate().filter(|(_, location)| location.accept) {
        let _ = writeln!(text, "case {number}: return true;");
    }
    text.push_str("default: break;\n}\n");
}

/// The insertion of the message of the context before the first larger one.
fn insert(text: &mut String, number: usize, buffer: &Buffer) {
    let message = buffer.message;
    let _ = writeln!(
        text,
        "template <class Em> HD u32 rt_insert_{number}(Context<Em>* c, u8* at) {{\n\
         u32 len = at[0], slot = 0;\nfor (; slot < len; slot++) {{\nu8* m = at + 1 + slot * {message};\ni32 x, y; (void)m;"
    );
    for (i, field) in buffer.fields.iter().enumerate() {
        let there = load(field.width, &format!("m + {}", field.offset));
        let _ = writeln!(text, "x = {there}; y = (i32)c->message[{i}]; if (x > y) break; if (x < y) continue;");
    }
    let _ = writeln!(
        text,
        "}}\nfor (u32 i = len * {message}; i > slot * {message}; i--) at[{message} + i] = at[i];\n\
         u8* m = at + 1 + slot * {message};"
    );
    for (i, field) in buffer.fields.iter().enumerate() {
        let _ = writeln!(text, "st{}(m + {}, c->message[{i}]);", field.width.bytes(), field.offset);
    }
    text.push_str("at[0]++;\nreturn 0;\n}\n");
}

/// The removal of a message.
fn remove(text: &mut String, number: usize, buffer: &Buffer) {
    let message = buffer.message;
    let _ = writeln!(
        text,
        "template <class Em> HD u32 rt_remove_{number}(u8* at, u64 slot) {{\n\
         u32 end = (at[0] - 1) * {message};\n\
         for (u32 i = (u32)slot * {message}; i < end; i++) at[1 + i] = at[1 + i + {message}];\n\
         for (u32 i = 0; i < {message}; i++) at[1 + end + i] = 0;\nat[0]--;\nreturn 0;\n}}"
    );
}
