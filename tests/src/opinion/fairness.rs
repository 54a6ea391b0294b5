//! Fair cycles, by definition: which strongly connected components have a cycle through every acceptance set that is
//! fair to processes or to transitions.

use std::collections::HashSet;
use std::hash::Hash;

use super::system::ProcId;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fairness {
    None,
    /// A process that can always move, from some time on, moves infinitely often.
    Weak,
    /// A process that can move infinitely often does so.
    Strong,
    /// A transition that can be taken infinitely often is.
    StrongTransitions,
    /// Every process moves infinitely often.
    Impartial,
}

impl Fairness {
    pub const ALL: [Fairness; 5] =
        [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::StrongTransitions, Fairness::Impartial];
}

#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub to: usize,
    /// Nobody, where a run has ended and stays in its last state.
    pub mover: Option<ProcId>,
    pub transition: Option<usize>,
}

/// A graph in which cycles are looked for. All vectors have an entry for each node.
#[derive(Clone, Default, Debug)]
pub struct Arena {
    pub links: Vec<Vec<Link>>,
    /// Who can move, in the system: links that are left out here count, too.
    pub enabled: Vec<HashSet<ProcId>>,
    pub possible: Vec<HashSet<usize>>,
    pub processes: usize,
}

impl Arena {
    /// The nodes of all components with a fair cycle that stays in `inside` and meets each of the sets `accept`.
    pub fn fair(&self, inside: &[bool], accept: &[Vec<bool>], fairness: Fairness) -> Vec<bool> {
        let mut out = vec![false; self.links.len()];
        for component in self.components(inside) {
            if self.is_fair(&component, accept, fairness) {
                component.iter().for_each(|n| out[*n] = true);
            } else {
                self.smaller(&component, accept, fairness, &mut out);
            }
        }
        out
    }

    /// The links that stay in a component.
    fn within<'a>(&'a self, component: &'a HashSet<usize>) -> impl Iterator<Item = &'a Link> {
        component.iter().flat_map(|n| &self.links[*n]).filter(|l| component.contains(&l.to))
    }

    fn is_fair(&self, component: &HashSet<usize>, accept: &[Vec<bool>], fairness: Fairness) -> bool {
        if self.within(component).next().is_none() || !accept.iter().all(|set| component.iter().any(|n| set[*n])) {
            return false;
        }
        let moves: HashSet<ProcId> = self.within(component).filter_map(|l| l.mover).collect();
        let mut processes = 0..self.processes;
        match fairness {
            Fairness::None => true,
            Fairness::Weak => {
                processes.all(|p| moves.contains(&p) || component.iter().any(|n| !self.enabled[*n].contains(&p)))
            }
            Fairness::Impartial => processes.all(|p| moves.contains(&p)),
            Fairness::Strong | Fairness::StrongTransitions => self.wronged(component, fairness).is_empty(),
        }
    }

    /// Where something can be done that is never done inside the component.
    fn wronged(&self, component: &HashSet<usize>, fairness: Fairness) -> HashSet<usize> {
        match fairness {
            Fairness::Strong => {
                wronged(component, &self.enabled, &self.within(component).filter_map(|l| l.mover).collect())
            }
            Fairness::StrongTransitions => {
                wronged(component, &self.possible, &self.within(component).filter_map(|l| l.transition).collect())
            }
            _ => HashSet::new(),
        }
    }

    /// A cycle that is strongly fair has to avoid the states where something can be done that is never done.
    fn smaller(&self, component: &HashSet<usize>, accept: &[Vec<bool>], fairness: Fairness, out: &mut [bool]) {
        let wronged = self.wronged(component, fairness);
        if wronged.is_empty() {
            return;
        }
        let inside: Vec<bool> =
            (0..self.links.len()).map(|n| component.contains(&n) && !wronged.contains(&n)).collect();
        let found = self.fair(&inside, accept, fairness);
        // The whole component reaches it, but only what is found is on such a cycle.
        out.iter_mut().zip(found).for_each(|(out, found)| *out |= found);
    }

    /// The strongly connected components of a part of the graph: what reaches each other.
    pub fn components(&self, inside: &[bool]) -> Vec<HashSet<usize>> {
        let order = self.finished(inside);
        let mut back = vec![Vec::new(); self.links.len()];
        for from in (0..self.links.len()).filter(|n| inside[*n]) {
            self.links[from].iter().filter(|l| inside[l.to]).for_each(|l| back[l.to].push(from));
        }
        let mut seen = vec![false; self.links.len()];
        let mut out = Vec::new();
        for root in order.into_iter().rev() {
            let mut component = HashSet::new();
            let mut stack = vec![root];
            while let Some(n) = stack.pop() {
                if !std::mem::replace(&mut seen[n], true) {
                    component.insert(n);
                    stack.extend(&back[n]);
                }
            }
            if !component.is_empty() {
                out.push(component);
            }
        }
        out
    }

    /// The nodes in the order in which a depth-first search leaves them (Kosaraju's algorithm).
    fn finished(&self, inside: &[bool]) -> Vec<usize> {
        let mut seen = vec![false; self.links.len()];
        let mut out = Vec::new();
        for root in (0..self.links.len()).filter(|n| inside[*n]) {
            let mut stack = vec![(root, false)];
            while let Some((n, left)) = stack.pop() {
                if left {
                    out.push(n);
                } else if !std::mem::replace(&mut seen[n], true) {
                    stack.push((n, true));
                    let next = self.links[n].iter().map(|l| l.to).filter(|to| inside[*to] && !seen[*to]);
                    stack.extend(next.map(|to| (to, false)));
                }
            }
        }
        out
    }

    /// What a node can be reached from, by links inside, and the targets themselves.
    pub fn reaching(&self, targets: &[bool], inside: &[bool]) -> Vec<bool> {
        let mut out = targets.to_vec();
        loop {
            let more: Vec<usize> = (0..self.links.len())
                .filter(|n| !out[*n] && inside[*n] && self.links[*n].iter().any(|l| out[l.to]))
                .collect();
            if more.is_empty() {
                return out;
            }
            more.into_iter().for_each(|n| out[n] = true);
        }
    }

    /// Everything that can be reached from some nodes.
    pub fn reachable(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut out = vec![false; self.links.len()];
        let mut stack: Vec<usize> = from.into_iter().collect();
        while let Some(n) = stack.pop() {
            if !std::mem::replace(&mut out[n], true) {
                stack.extend(self.links[n].iter().map(|l| l.to));
            }
        }
        out
    }
}

fn wronged<T: Eq + Hash>(component: &HashSet<usize>, can: &[HashSet<T>], does: &HashSet<T>) -> HashSet<usize> {
    component.iter().copied().filter(|n| can[*n].iter().any(|t| !does.contains(t))).collect()
}
