//! Static analysis of a model for code generation.

use kripke_model::ir::{ChannelId, Edge, Effect, Expr, Init, Model, Pattern, Place, Sync, VarRef};
use kripke_model::layout::{ChannelAt, Layout, Slot};

/// A process of the fixed set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// The process type.
    pub process: u32,
    /// The offset in the state.
    pub base: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Whether the code is for a fixed set of processes: those of the sample, without creation or removal. Variables
    /// that are never written have the values of the sample.
    pub fixed: bool,
    /// Whether some edge creates or removes processes.
    pub varies: bool,
    /// Whether some expression reads locations of processes.
    pub locations_read: bool,
    /// Whether some expression reads `enabled`.
    pub enabled_read: bool,
    /// Whether some locations are committed.
    pub committed: bool,
    /// Whether some process has exclusive-access claims.
    pub claims: bool,
    /// A state of the shape.
    pub sample: Vec<u8>,
    /// The processes of the sample, if they are fixed.
    pub sites: Vec<Site>,
    /// The channels of the sample.
    pub channels: Vec<ChannelAt>,
    /// For each channel declaration, the first declaration with the same layout.
    pub alike: Vec<u32>,
    /// The number of the first edge of each process type, in a numbering of all edges.
    pub first_edge: Vec<u32>,
    written_globals: Vec<bool>,
    written_locals: Vec<Vec<bool>>,
}

impl Facts {
    pub(crate) fn new(model: &Model, layout: &Layout, sample: Vec<u8>, fixed: bool) -> Facts {
        let mut first_edge = vec![0];
        for process in &model.processes {
            first_edge.push(first_edge[first_edge.len() - 1] + process.edges.len() as u32);
        }
        let mut facts = Facts {
            fixed,
            varies: false,
            locations_read: false,
            enabled_read: false,
            committed: model.processes.iter().flat_map(|p| &p.locations).any(|l| l.committed),
            claims: model.processes.iter().any(|p| !p.claims.is_empty()),
            sites: Vec::new(),
            channels: layout.global_channels.clone(),
            alike: alike(layout),
            first_edge,
            written_globals: vec![false; model.globals.len()],
            written_locals: model.processes.iter().map(|p| vec![false; p.locals.len()]).collect(),
            sample,
        };
        if fixed {
            facts.sites = sites(layout, &facts.sample);
            facts.channels.extend(own_channels(layout, &facts.sites));
        }
        for (i, process) in model.processes.iter().enumerate() {
            process.edges.iter().for_each(|edge| facts.edge(i, edge));
            process.walk(&mut |e| facts.expr(e));
        }
        if let Some(observer) = &model.observer {
            observer.automaton.walk(&mut |e| facts.expr(e));
        }
        facts
    }

    fn edge(&mut self, process: usize, edge: &Edge) {
        for effect in &edge.effects {
            match effect {
                Effect::Assign(place, _) => self.write(process, place),
                Effect::Run { result, .. } => {
                    self.varies = true;
                    result.iter().for_each(|place| self.write(process, place));
                }
                Effect::Remove => self.varies = true,
                Effect::Assert(_) | Effect::Require { .. } | Effect::Print(_) | Effect::SetPriority { .. } => {}
            }
        }
        if let Some(Sync::Receive { args, .. }) = &edge.sync {
            for arg in args {
                if let Pattern::Store(place) = arg {
                    self.write(process, place);
                }
            }
        }
    }

    fn write(&mut self, process: usize, place: &Place) {
        match place.var {
            VarRef::Global(id) => self.written_globals[id.index()] = true,
            VarRef::Local(id) => self.written_locals[process][id.index()] = true,
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::At { .. } | Expr::Location(_) | Expr::NonProgress => self.locations_read = true,
            Expr::Enabled(_) => {
                self.locations_read = true;
                self.enabled_read = true;
            }
            _ => {}
        }
    }

    /// The facts for states without type bytes.
    #[must_use]
    pub(crate) fn without_types(mut self, layout: &Layout) -> Facts {
        for (n, site) in self.sites.iter_mut().enumerate() {
            self.sample.remove(site.base as usize - n);
            // The byte before the process, where its type would be.
            site.base -= n as u32 + 1;
        }
        self.channels = layout.global_channels.clone();
        self.channels.extend(own_channels(layout, &self.sites));
        self
    }

    pub(crate) fn is_written(&self, process: u32, var: VarRef) -> bool {
        match var {
            VarRef::Global(id) => self.written_globals[id.index()],
            VarRef::Local(id) => self.written_locals[process as usize][id.index()],
        }
    }

    /// The value of an element that is never written; `base` is the offset of the variable's frame.
    pub(crate) fn initially(&self, slot: &Slot, base: usize, element: usize) -> i32 {
        slot.width.load(&self.sample, base + slot.offset + element * slot.width.bytes())
    }
}

/// The processes of a state.
pub(crate) fn sites(layout: &Layout, state: &[u8]) -> Vec<Site> {
    let mut sites = Vec::new();
    let mut base = layout.fixed;
    while base < state.len() {
        let process = u32::from(state[base]);
        sites.push(Site { process, base: base as u32 });
        base += layout.frames[process as usize].size;
    }
    sites
}

/// The channels of processes.
fn own_channels(layout: &Layout, sites: &[Site]) -> Vec<ChannelAt> {
    let own = |site: &Site| {
        let (base, frame) = (site.base, &layout.frames[site.process as usize]);
        frame.channels.iter().map(move |c| ChannelAt { offset: c.offset + base, ..*c })
    };
    sites.iter().flat_map(own).collect()
}

/// The first channel of a variable, as an index into its owner's channels, and the declaration.
pub(crate) fn channels_of(vars: &[kripke_model::ir::Var], wanted: usize) -> Option<(usize, ChannelId)> {
    let mut first = 0;
    for (i, var) in vars.iter().enumerate() {
        if let Init::Channels(declaration) = var.init {
            if i == wanted {
                return Some((first, declaration));
            }
            first += var.len();
        }
    }
    None
}

fn alike(layout: &Layout) -> Vec<u32> {
    let same = |a: usize, b: usize| {
        let (a, b) = (&layout.buffers[a], &layout.buffers[b]);
        let fields = a.fields.iter().zip(&b.fields);
        a.capacity == b.capacity
            && a.fields.len() == b.fields.len()
            && fields.into_iter().all(|(x, y)| (x.offset, x.ty.bits, x.ty.signed) == (y.offset, y.ty.bits, y.ty.signed))
    };
    let first = |i: usize| (0..i).find(|j| same(*j, i)).unwrap_or(i) as u32;
    (0..layout.buffers.len()).map(first).collect()
}
