//! What kinds of values there are: numbers that mean themselves, and numbers that mean a process of a group.
//!
//! Every place where a value is kept or computed is a node; nodes whose values flow into each other or are compared are
//! one kind (Ip and Dill, *Better verification through symmetry*, 1996, whose scalarsets are inferred here).

/// A kind of values, or a place that has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node(usize);

/// How the processes of a group are told apart: by a number of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Encoding {
    pub class: usize,
    /// One for each member, all different.
    pub values: Vec<i32>,
    /// What in the text has these values.
    pub name: String,
}

impl Encoding {
    /// Whether values are renamed in the same way. To exchange two members is the same whether they are told apart by their
    /// own names or by each other's.
    pub fn renames_like(&self, other: &Encoding) -> bool {
        let reversed = || self.values.len() == 2 && self.values.iter().rev().eq(&other.values);
        self.class == other.class && (self.values == other.values || reversed())
    }

    /// The number of an encoding like this one, which is added if there is none.
    pub fn number(self, codes: &mut Vec<Encoding>) -> usize {
        codes.iter().position(|code| code.renames_like(&self)).unwrap_or_else(|| {
            codes.push(self);
            codes.len() - 1
        })
    }
}

#[derive(Clone, Default, Debug)]
pub(super) struct Kind {
    /// The values mean processes, by this encoding.
    pub code: Option<usize>,
    /// They are used as numbers: what for.
    pub number: Option<&'static str>,
    /// Values that are written in the text.
    pub constants: Vec<i32>,
    /// They are used as channels.
    pub channel: bool,
}

/// Values can't be of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Clash {
    /// What means a process is used as a number.
    Number { code: usize, what: &'static str },
    /// What means processes by different encodings is put together.
    Mixed { code: usize, other: usize },
}

#[derive(Default, Debug)]
pub(super) struct Sorts {
    parent: Vec<usize>,
    kinds: Vec<Kind>,
}

impl Sorts {
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

    pub fn process(&mut self, code: usize) -> Node {
        self.add(Kind { code: Some(code), ..Kind::default() })
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

    /// All kinds, with a node that has each.
    pub fn roots(&self) -> impl Iterator<Item = (usize, &Kind)> {
        self.kinds.iter().enumerate().filter(|(n, _)| self.parent[*n] == *n)
    }

    /// The values are numbers.
    pub fn number(&mut self, node: Node, what: &'static str) -> Result<(), Clash> {
        let root = self.root(node);
        self.kinds[root].number.get_or_insert(what);
        self.check(root)
    }

    pub fn channel(&mut self, node: Node) {
        let root = self.root(node);
        self.kinds[root].channel = true;
    }

    /// The values are of one kind.
    pub fn unite(&mut self, a: Node, b: Node) -> Result<(), Clash> {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return Ok(());
        }
        let taken = std::mem::take(&mut self.kinds[b]);
        self.parent[b] = a;
        let kind = &mut self.kinds[a];
        if let (Some(code), Some(other)) = (kind.code, taken.code)
            && code != other
        {
            return Err(Clash::Mixed { code, other });
        }
        kind.code = kind.code.or(taken.code);
        kind.number = kind.number.or(taken.number);
        kind.channel |= taken.channel;
        kind.constants.extend(taken.constants);
        self.check(a)
    }

    fn check(&self, root: usize) -> Result<(), Clash> {
        match &self.kinds[root] {
            Kind { code: Some(code), number: Some(what), .. } => Err(Clash::Number { code: *code, what }),
            _ => Ok(()),
        }
    }
}
