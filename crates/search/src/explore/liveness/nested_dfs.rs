//! Nested depth-first search (Courcoubetis, Vardi, Wolper, Yannakakis, 1992; Holzmann, Peled, Yannakakis, 1996), with
//! the colours and early detection of Schwoon and Esparza (*A note on on-the-fly verification algorithms*, 2005).
//! States on the path of the first (blue) search are cyan; an edge of either search to a cyan state closes a cycle. A
//! state whose successors are all red is red without a search of its own.

use super::LivenessSearch;
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// Entry above each state of the current path.
const FRAME: StateId = StateId::NONE;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Colour {
    White,
    Cyan,
    Blue,
    Red,
}

/// The colour of a state, and whether it is accepting.
#[derive(Clone, Copy, Debug)]
struct Mark {
    colour: Colour,
    accepting: bool,
    /// Whether all successors so far are red.
    all_red: bool,
}

const BLANK: Mark = Mark { colour: Colour::White, accepting: false, all_red: true };

#[derive(Debug, Default)]
struct Marks(Vec<Mark>);

impl Marks {
    fn get(&self, id: StateId) -> Mark {
        self.0.get(id.number() as usize).copied().unwrap_or(BLANK)
    }

    fn of(&mut self, id: StateId) -> &mut Mark {
        let at = id.number() as usize;
        if at >= self.0.len() {
            self.0.resize((at + 1).next_power_of_two(), BLANK);
        }
        &mut self.0[at]
    }
}

/// The current path, with frames of successors that are not yet visited.
#[derive(Debug, Default)]
struct Stack {
    entries: Vec<StateId>,
    /// The states that have frames.
    path: Vec<StateId>,
}

impl Stack {
    /// Opens a frame for the state on top. Its successors follow.
    fn push_frame(&mut self, owner: StateId) -> usize {
        self.entries.push(FRAME);
        self.path.push(owner);
        self.entries.len()
    }

    /// Removes a completed state and its frame.
    fn pop_frame(&mut self) -> Option<StateId> {
        self.entries.pop();
        self.entries.pop();
        self.path.pop()
    }

    /// The state whose successors are being visited.
    fn owner(&self) -> Option<StateId> {
        self.path.last().copied()
    }

    fn depth(&self) -> u32 {
        self.path.len() as u32
    }
}

pub(super) fn run<S: Store>(liveness: &mut LivenessSearch<'_, '_, '_, S>, root: StateId) -> Result<(), Limit> {
    let mut marks = Marks::default();
    let (mut blue, mut red) = (Stack { entries: vec![root], path: Vec::new() }, Stack::default());
    let mut deepest = 0;
    let done = search(liveness, &mut marks, &mut blue, &mut red, &mut deepest);
    liveness.depth = deepest;
    liveness.bytes = bytes(&marks, &blue, &red);
    done
}

fn bytes(marks: &Marks, blue: &Stack, red: &Stack) -> u64 {
    let of = |stack: &Stack| (stack.entries.capacity() + stack.path.capacity()) * size_of::<StateId>();
    let stacks = of(blue) + of(red);
    (marks.0.capacity() * size_of::<Mark>() + stacks) as u64
}

fn search<S: Store>(
    liveness: &mut LivenessSearch<'_, '_, '_, S>,
    marks: &mut Marks,
    blue: &mut Stack,
    red: &mut Stack,
    deepest: &mut u32,
) -> Result<(), Limit> {
    while let Some(&top) = blue.entries.last() {
        if top == FRAME {
            let Some(id) = blue.pop_frame() else { break };
            if finish(liveness, marks, blue, red, id)? {
                return Ok(());
            }
            continue;
        }
        let mark = marks.get(top);
        match mark.colour {
            Colour::White if blue.depth() >= liveness.max_depth => {
                blue.entries.pop();
            }
            Colour::White => {
                let first = blue.push_frame(top);
                *deepest = (*deepest).max(blue.depth());
                let entries = &mut blue.entries;
                // The filter runs during interning, where memory accesses overlap.
                let flags = liveness.worker.expand(top, |seen| {
                    if seen.new || marks.get(seen.id).colour != Colour::Red {
                        entries.push(seen.id);
                    }
                })?;
                blue.entries[first..].reverse();
                *marks.of(top) = Mark { colour: Colour::Cyan, accepting: flags.accepting, all_red: true };
                let waiting = blue.entries.len() as u64;
                if liveness.check_limits(*deepest, || bytes(marks, blue, red), waiting)? {
                    return Ok(());
                }
            }
            colour => {
                blue.entries.pop();
                let Some(owner) = blue.owner() else { continue };
                if colour == Colour::Cyan && (mark.accepting || marks.get(owner).accepting) {
                    liveness.found.push(if mark.accepting { top } else { owner });
                    return Ok(());
                }
                if colour != Colour::Red {
                    marks.of(owner).all_red = false;
                }
            }
        }
    }
    Ok(())
}

/// Completes a state of the blue search. Returns whether a cycle was found.
fn finish<S: Store>(
    liveness: &mut LivenessSearch<'_, '_, '_, S>,
    marks: &mut Marks,
    blue: &Stack,
    red: &mut Stack,
    id: StateId,
) -> Result<bool, Limit> {
    let mark = marks.get(id);
    if mark.all_red {
        marks.of(id).colour = Colour::Red;
    } else if mark.accepting {
        if let Some(found) = search_red(liveness, marks, red, id)? {
            liveness.found.push(found);
            return Ok(true);
        }
        marks.of(id).colour = Colour::Red;
    } else {
        marks.of(id).colour = Colour::Blue;
    }
    if marks.get(id).colour != Colour::Red
        && let Some(owner) = blue.owner()
    {
        marks.of(owner).all_red = false;
    }
    Ok(false)
}

/// The red search: from an accepting state over blue states. Returns the seed if it reaches a cyan state.
fn search_red<S: Store>(
    liveness: &mut LivenessSearch<'_, '_, '_, S>,
    marks: &mut Marks,
    red: &mut Stack,
    seed: StateId,
) -> Result<Option<StateId>, Limit> {
    red.entries.clear();
    red.path.clear();
    red.entries.push(seed);
    let mut first = true;
    while let Some(&top) = red.entries.last() {
        if top == FRAME {
            red.pop_frame();
            continue;
        }
        match marks.get(top).colour {
            // The seed itself is still cyan.
            Colour::Cyan if !first => return Ok(Some(seed)),
            Colour::Blue | Colour::Cyan => {
                if !first {
                    marks.of(top).colour = Colour::Red;
                }
                first = false;
                let start = red.push_frame(top);
                let entries = &mut red.entries;
                liveness.worker.expand_again(top, kripke_model::Choice::All, |seen| entries.push(seen.id))?;
                red.entries[start..].reverse();
            }
            Colour::White | Colour::Red => {
                red.entries.pop();
            }
        }
    }
    Ok(None)
}
