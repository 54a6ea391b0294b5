//! The decision which functions are compiled as parts of their callers.
//!
//! A state stays in registers only if every function that has its address is part of its caller, so all functions are, if the copies do not
//! become too many: such a function is copied at every call, and at every call of a caller that is copied itself. The time to compile a text for a
//! device grows with what is copied; memory for states also takes time. In very large texts, only short functions have several copies.

use std::collections::HashMap;

/// The number of instructions of all copies up to which every function is part of its callers.
const MOST_OF_COPIES: usize = 150_000;

/// In larger texts: the numbers of instructions of a function, and of all, up to which functions are compiled as parts of their callers.
const MOST_OF_FUNCTION: usize = 4_000;
const MOST_OF_ALL: usize = 12_000;

/// In larger texts: the number of instructions up to which a function may have several copies.
const MOST_OF_COPY: usize = 200;

/// The functions of a text.
pub(super) struct Inlining<'t> {
    /// The sizes of the generated functions. Those of the runtime are parts of their callers always.
    sizes: &'t [usize],
    all: usize,
    /// Whether every function is part of its callers.
    complete: bool,
    /// The functions that call a function, once for each call.
    callers: HashMap<&'t str, Vec<&'t str>>,
    copies: HashMap<&'t str, usize>,
}

impl<'t> Inlining<'t> {
    /// The functions of a text, and the numbers of instructions of the generated ones.
    pub(super) fn new(sizes: &'t [usize], text: &'t str) -> Inlining<'t> {
        let (mut callers, mut caller) = (HashMap::<&str, Vec<&str>>::new(), "");
        for line in text.lines() {
            if let Some(name) = defined(line) {
                caller = name;
                continue;
            }
            let parts: Vec<&str> = line.split("<Em>(").collect();
            for before in &parts[..parts.len() - 1] {
                callers.entry(last_word(before)).or_default().push(caller);
            }
        }
        let (all, copies) = (sizes.iter().sum(), HashMap::new());
        let mut inlining = Inlining { sizes, all, complete: true, callers, copies };
        let copied = |(number, size): (usize, &usize)| size.saturating_mul(inlining.copies(&format!("f{number}")));
        let expanded = sizes.iter().enumerate().map(copied).fold(0, usize::saturating_add);
        inlining.complete = expanded <= MOST_OF_COPIES;
        inlining.copies.clear();
        inlining
    }

    /// The macro for the generated function with this number.
    pub(super) fn macro_of(&mut self, number: usize) -> &'static str {
        if self.is_inlined(&format!("f{number}")) { "HD" } else { "HD_LARGE" }
    }

    fn is_inlined(&mut self, name: &str) -> bool {
        let number = name.strip_prefix('f').and_then(|number| number.parse::<usize>().ok());
        let Some(size) = number.map(|number| self.sizes[number]).filter(|_| !self.complete) else { return true };
        size <= MOST_OF_FUNCTION && self.all <= MOST_OF_ALL && (size <= MOST_OF_COPY || self.copies(name) <= 1)
    }

    /// The number of copies of a function that is part of its callers.
    fn copies(&mut self, name: &str) -> usize {
        let Some((&name, callers)) = self.callers.get_key_value(name) else { return 1 };
        if let Some(copies) = self.copies.get(name) {
            return *copies;
        }
        let callers = callers.clone();
        // A function that calls itself, which there is none of, would have several.
        self.copies.insert(name, 2);
        let mut copies = 0;
        for caller in callers {
            copies = usize::saturating_add(copies, if self.is_inlined(caller) { self.copies(caller) } else { 1 });
        }
        self.copies.insert(name, copies);
        copies
    }
}

/// The name of the function whose definition begins with this line.
fn defined(line: &str) -> Option<&str> {
    let (before, _) = line.strip_suffix('{')?.strip_prefix("template <class Em> ")?.split_once('(')?;
    Some(last_word(before))
}

fn last_word(text: &str) -> &str {
    let start = text.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expand` calls f0, which calls f1 twice and f2 once; f1 calls f3; f2 asks whether f4 or f5 is enabled.
    const TEXT: &str = "template <class Em> HD i32 rt_enabled(Context<Em>* c, u8* b) {\n\
        case 0: f4<Em>(c, b);\ncase 1: f5<Em>(c, b);\n}\n\
        template <class Em> HD u32 rt_answer(Context<Em>* c, u8* b) {\nrt_enabled<Em>(c, b);\nrt_enabled<Em>(c, b);\n}\n\
        template <class Em> INLINE_0 int f0(Context<Em>* c, u8* v1) {\nx = f1<Em>(c, v1) + f1<Em>(c, v1);\nf2<Em>(c, v1);\n}\n\
        template <class Em> INLINE_1 int f1(Context<Em>* c, u8* v1) {\nf3<Em>(c, v1);\n}\n\
        template <class Em> INLINE_2 int f2(Context<Em>* c, u8* v1) {\nrt_answer<Em>(c, v1);\n}\n\
        template <class Em> HD int expand(const State& s, Em& em) {\nf0<Em>(c, root);\n}\n";

    fn macros(sizes: [usize; 6]) -> Vec<bool> {
        let mut inlining = Inlining::new(&sizes, TEXT);
        (0..6).map(|number| inlining.macro_of(number) == "HD").collect()
    }

    #[test]
    fn functions_are_copied_as_long_as_copies_are_few() {
        // Through the runtime, f4 and f5 have two copies; through f1, the function f3 has two.
        assert_eq!(macros([3000, 4001, 3000, 5000, 5000, 5000]), [true; 6]);
    }

    #[test]
    fn short_functions_are_copied_in_larger_texts() {
        assert_eq!(macros([MOST_OF_COPIES, 200, 1, 201, 200, 201]), [false; 6]);
    }

    #[test]
    fn long_functions_have_one_copy_in_larger_texts() {
        // Many calls of f1 make the text large.
        let calls = "f1<Em>(c, v1);\n".repeat(200);
        let text = TEXT.replace("f2<Em>(c, v1);\n", &format!("{calls}f2<Em>(c, v1);\n"));
        let sizes = [1000, 201, 1000, 600, 200, 201];
        let mut inlining = Inlining::new(&sizes, &text);
        let macros: Vec<bool> = (0..6).map(|number| inlining.macro_of(number) == "HD").collect();
        // As f1 has one copy, so has f3.
        assert_eq!(macros, [true, false, true, true, true, false]);
    }
}
