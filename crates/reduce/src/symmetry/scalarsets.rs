//! Scalarset inference: which values are numbers and which denote processes of a group.
//!
//! Every variable and every expression is a node. Nodes whose values are assigned to or compared with each other have
//! one kind. This infers the scalarset types that Ip and Dill (*Better verification through symmetry*, 1996) have the
//! user declare.

/// A variable or expression that has a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node(usize);

/// A scalarset: a different value for each member of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Scalarset {
    pub class: usize,
    /// The value of each member.
    pub values: Vec<i32>,
    /// The expression with these values, for messages.
    pub name: String,
}

impl Scalarset {
    /// True if permutations rename the values of both in the same way. In a group of two, a scalarset and its reverse
    /// are renamed alike.
    pub fn renames_like(&self, other: &Scalarset) -> bool {
        let reversed = || self.values.len() == 2 && self.values.iter().rev().eq(&other.values);
        self.class == other.class && (self.values == other.values || reversed())
    }

    /// The number of a scalarset that is renamed alike; it is added if there is none.
    pub fn number(self, scalarsets: &mut Vec<Scalarset>) -> usize {
        scalarsets.iter().position(|scalarset| scalarset.renames_like(&self)).unwrap_or_else(|| {
            scalarsets.push(self);
            scalarsets.len() - 1
        })
    }
}

#[derive(Clone, Default, Debug)]
pub(super) struct Kind {
    /// The values denote processes, by this scalarset.
    pub scalarset: Option<usize>,
    /// They are used as numbers, in this operation.
    pub number: Option<&'static str>,
    /// Constants of the model that have this kind.
    pub constants: Vec<i32>,
    /// They are used as channels.
    pub channel: bool,
}

/// Two nodes cannot have one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Clash {
    /// A scalarset value is used as a number.
    Number { scalarset: usize, what: &'static str },
    /// Values of two scalarsets are assigned or compared.
    Mixed { scalarset: usize, other: usize },
}

#[derive(Default, Debug)]
pub(super) struct Kinds {
    parent: Vec<usize>,
    kinds: Vec<Kind>,
}

impl Kinds {
    fn add(&mut self, kind: Kind) -> Node {
        self.parent.push(self.parent.len());
        self.kinds.push(kind);
        Node(self.parent.len() - 1)
    }

    pub fn fresh(&mut self) -> Node {
        self.add(Kind::default())
    }

    pub fn constant(&mut self, value: i32) -> Node {
        self.add(Kind { constants: vec![value], ..Kind::default() })
    }

    pub fn process(&mut self, scalarset: usize) -> Node {
        self.add(Kind { scalarset: Some(scalarset), ..Kind::default() })
    }

    pub fn root(&self, node: Node) -> usize {
        let mut at = node.0;
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    pub fn kind(&self, node: Node) -> &Kind {
        &self.kinds[self.root(node)]
    }

    /// All kinds, with their root nodes.
    pub fn roots(&self) -> impl Iterator<Item = (usize, &Kind)> {
        self.kinds.iter().enumerate().filter(|(n, _)| self.parent[*n] == *n)
    }

    /// Marks a node as a number.
    pub fn number(&mut self, node: Node, what: &'static str) -> Result<(), Clash> {
        let root = self.root(node);
        self.kinds[root].number.get_or_insert(what);
        self.check(root)
    }

    pub fn channel(&mut self, node: Node) {
        let root = self.root(node);
        self.kinds[root].channel = true;
    }

    /// Gives two nodes one kind.
    pub fn unite(&mut self, a: Node, b: Node) -> Result<(), Clash> {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return Ok(());
        }
        let taken = std::mem::take(&mut self.kinds[b]);
        self.parent[b] = a;
        let kind = &mut self.kinds[a];
        if let (Some(scalarset), Some(other)) = (kind.scalarset, taken.scalarset)
            && scalarset != other
        {
            return Err(Clash::Mixed { scalarset, other });
        }
        kind.scalarset = kind.scalarset.or(taken.scalarset);
        kind.number = kind.number.or(taken.number);
        kind.channel |= taken.channel;
        kind.constants.extend(taken.constants);
        self.check(a)
    }

    fn check(&self, root: usize) -> Result<(), Clash> {
        match &self.kinds[root] {
            Kind { scalarset: Some(scalarset), number: Some(what), .. } => {
                Err(Clash::Number { scalarset: *scalarset, what })
            }
            _ => Ok(()),
        }
    }
}
