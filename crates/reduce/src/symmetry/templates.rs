//! Templates: process types that differ in constants only, as one type with parameters.
//!
//! Languages without process parameters write `flag[0] = 1` in one process and `flag[1] = 1` in the next.

use kripke_model::ir::{Edge, Effect, Expr, Guard, Init, Location, Pattern, Place, Process, Sync, Type, Var, VarId};

/// The common template of some process types: a type with additional locals, and the values of each additional local
/// in all types. None if the types differ in more than constants.
pub(super) fn common_template(all: &[&Process]) -> Option<(Process, Vec<Vec<i32>>)> {
    let first = all[0];
    let mut generaliser = Generaliser { own: first.locals.len(), added: Vec::new() };
    if all.iter().all(|p| std::ptr::eq(*p, first)) {
        return Some((first.clone(), Vec::new()));
    }
    let invariant_states = |p: &&Process| {
        p.params == first.params
            && p.entry == first.entry
            && p.priority == first.priority
            && p.claims.is_empty()
            && p.locals.len() == first.locals.len()
            && p.locals.iter().zip(&first.locals).all(|(a, b)| same_variable(a, b))
            && p.locations.len() == first.locations.len()
            && p.locations.iter().zip(&first.locations).all(|(a, b)| same_location(a, b))
            && p.edges.len() == first.edges.len()
    };
    if !all.iter().all(invariant_states) {
        return None;
    }
    let provided: Vec<&Option<Expr>> = all.iter().map(|p| &p.provided).collect();
    let provided = generaliser.option(&provided)?;
    let edge = |n: usize| all.iter().map(|p| &p.edges[n]).collect::<Vec<_>>();
    let edges = (0..first.edges.len()).map(|n| generaliser.edge(&edge(n))).collect::<Option<Vec<_>>>()?;
    let mut body = Process { provided, edges, ..first.clone() };
    for n in 0..generaliser.added.len() {
        body.locals.push(Var {
            name: format!("constant {n}"),
            ty: Type::number(32, true),
            dims: Vec::new(),
            init: Init::Zero,
            range: None,
            hidden: false,
            span: first.span,
        });
    }
    Some((body, generaliser.added))
}

fn same_variable(a: &Var, b: &Var) -> bool {
    let channel = |v: &Var| if let Init::Channels(id) = v.init { Some(id) } else { None };
    (a.ty, &a.dims, a.range, channel(a)) == (b.ty, &b.dims, b.range, channel(b))
}

fn same_location(a: &Location, b: &Location) -> bool {
    (&a.edges, a.end, a.accept, a.progress, a.committed) == (&b.edges, b.end, b.accept, b.progress, b.committed)
}

/// The parts that a pattern matches in all of them. None if one does not match.
macro_rules! parts {
    ($all:expr, $pattern:pat $(if $guard:expr)? => $part:expr) => {
        $all.iter()
            .map(|one| match *one {
                $pattern $(if $guard)? => Some($part),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
    };
}

/// True if all are equal.
fn equal<T: PartialEq>(all: &[T]) -> bool {
    all.iter().all(|one| *one == all[0])
}

struct Generaliser {
    /// The number of locals of the types themselves.
    own: usize,
    added: Vec<Vec<i32>>,
}

impl Generaliser {
    fn constant(&mut self, values: Vec<i32>) -> Expr {
        if equal(&values) {
            return Expr::Const(values[0]);
        }
        let known = self.added.iter().position(|added| *added == values);
        let n = known.unwrap_or_else(|| {
            self.added.push(values);
            self.added.len() - 1
        });
        Expr::Load(Place::local(VarId((self.own + n) as u32)))
    }

    fn option(&mut self, all: &[&Option<Expr>]) -> Option<Option<Expr>> {
        if all.iter().all(|e| e.is_none()) {
            return Some(None);
        }
        Some(Some(self.expr(&parts!(all, Some(e) => e)?)?))
    }

    fn boxed(&mut self, all: &[&Expr]) -> Option<Box<Expr>> {
        self.expr(all).map(Box::new)
    }

    /// Generalises lists of equal length, item by item.
    fn each<T, M>(
        &mut self,
        all: &[&[T]],
        common_template: fn(&mut Generaliser, &[&T]) -> Option<M>,
    ) -> Option<Vec<M>> {
        if !all.iter().all(|list| list.len() == all[0].len()) {
            return None;
        }
        (0..all[0].len()).map(|n| common_template(self, &all.iter().map(|list| &list[n]).collect::<Vec<_>>())).collect()
    }

    fn exprs(&mut self, all: &[&Vec<Expr>]) -> Option<Vec<Expr>> {
        let all: Vec<&[Expr]> = all.iter().map(|list| list.as_slice()).collect();
        self.each(&all, Generaliser::expr)
    }

    fn patterns(&mut self, all: &[&Vec<Pattern>]) -> Option<Vec<Pattern>> {
        let all: Vec<&[Pattern]> = all.iter().map(|list| list.as_slice()).collect();
        self.each(&all, Generaliser::pattern)
    }

    fn pattern(&mut self, all: &[&Pattern]) -> Option<Pattern> {
        Some(match all[0] {
            Pattern::Match(_) => Pattern::Match(self.expr(&parts!(all, Pattern::Match(e) => e)?)?),
            Pattern::Store(_) => Pattern::Store(self.place(&parts!(all, Pattern::Store(p) => p)?)?),
            Pattern::Any => {
                parts!(all, Pattern::Any => ())?;
                Pattern::Any
            }
        })
    }

    fn place(&mut self, all: &[&Place]) -> Option<Place> {
        let index = self.exprs(&all.iter().map(|p| &p.index).collect::<Vec<_>>())?;
        all.iter().all(|p| p.var == all[0].var).then(|| Place { var: all[0].var, index })
    }

    fn expr(&mut self, all: &[&Expr]) -> Option<Expr> {
        Some(match all[0] {
            Expr::Const(_) => self.constant(parts!(all, Expr::Const(v) => *v)?),
            Expr::Load(_) => Expr::Load(self.place(&parts!(all, Expr::Load(p) => p)?)?),
            Expr::Unary(op, _) => {
                let inner = parts!(all, Expr::Unary(o, e) if o == op => &**e);
                Expr::Unary(*op, self.boxed(&inner?)?)
            }
            Expr::Binary(op, ..) => {
                let both = parts!(all, Expr::Binary(o, a, b) if o == op => (&**a, &**b))?;
                let (a, b): (Vec<&Expr>, Vec<&Expr>) = both.into_iter().unzip();
                Expr::Binary(*op, self.boxed(&a)?, self.boxed(&b)?)
            }
            Expr::Cond(_) => {
                let all = parts!(all, Expr::Cond(parts) => parts.as_slice())?;
                let parts = self.each(&all, Generaliser::expr)?;
                Expr::Cond(Box::new(parts.try_into().ok()?))
            }
            Expr::Channel(query, _) => {
                let inner = parts!(all, Expr::Channel(q, e) if q == query => &**e)?;
                Expr::Channel(*query, self.boxed(&inner)?)
            }
            Expr::Poll { anywhere, .. } => {
                let both =
                    parts!(all, Expr::Poll { channel, args, anywhere: a } if a == anywhere => (&**channel, args))?;
                let (channels, args): (Vec<_>, Vec<_>) = both.into_iter().unzip();
                Expr::Poll { channel: self.boxed(&channels)?, args: self.patterns(&args)?, anywhere: *anywhere }
            }
            Expr::Pid => parts!(all, Expr::Pid => Expr::Pid)?.pop()?,
            Expr::Timeout => parts!(all, Expr::Timeout => Expr::Timeout)?.pop()?,
            Expr::NonProgress => parts!(all, Expr::NonProgress => Expr::NonProgress)?.pop()?,
            Expr::ProcessCount => parts!(all, Expr::ProcessCount => Expr::ProcessCount)?.pop()?,
            // Remote references distinguish processes anyway.
            _ => return None,
        })
    }

    fn edge(&mut self, all: &[&Edge]) -> Option<Edge> {
        let first = all[0];
        if !all
            .iter()
            .all(|e| (e.level, e.chain, e.target, e.then) == (first.level, first.chain, first.target, first.then))
        {
            return None;
        }
        let guard = match &first.guard {
            Guard::When(_) => {
                let conditions = parts!(all.iter().map(|e| &e.guard).collect::<Vec<_>>(), Guard::When(e) => e)?;
                Guard::When(self.expr(&conditions)?)
            }
            plain => {
                let same = |e: &&Edge| std::mem::discriminant(&e.guard) == std::mem::discriminant(plain);
                all.iter().all(same).then(|| plain.clone())?
            }
        };
        let sync = match &first.sync {
            None => all.iter().all(|e| e.sync.is_none()).then_some(None)?,
            Some(_) => Some(self.sync(&all.iter().map(|e| e.sync.as_ref()).collect::<Option<Vec<_>>>()?)?),
        };
        let effects: Vec<&[Effect]> = all.iter().map(|e| e.effects.as_slice()).collect();
        let effects = self.each(&effects, Generaliser::effect)?;
        Some(Edge { guard, sync, effects, ..first.clone() })
    }

    fn sync(&mut self, all: &[&Sync]) -> Option<Sync> {
        Some(match all[0] {
            Sync::Send { sorted, .. } => {
                let both = parts!(all, Sync::Send { channel, args, sorted: s } if s == sorted => (channel, args))?;
                let (channels, args): (Vec<_>, Vec<_>) = both.into_iter().unzip();
                Sync::Send { channel: self.expr(&channels)?, args: self.exprs(&args)?, sorted: *sorted }
            }
            Sync::Receive { anywhere, keep, .. } => {
                let invariant_states = |a: &bool, k: &bool| a == anywhere && k == keep;
                let three = parts!(all, Sync::Receive { channel, args, condition, anywhere: a, keep: k } if invariant_states(a, k) => (channel, (args, condition)))?;
                let (channels, rest): (Vec<_>, Vec<_>) = three.into_iter().unzip();
                let (args, conditions): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
                let (channel, args) = (self.expr(&channels)?, self.patterns(&args)?);
                let condition = self.option(&conditions)?;
                Sync::Receive { channel, args, anywhere: *anywhere, keep: *keep, condition }
            }
        })
    }

    fn effect(&mut self, all: &[&Effect]) -> Option<Effect> {
        Some(match all[0] {
            Effect::Assign(..) => {
                let both = parts!(all, Effect::Assign(place, e) => (place, e))?;
                let (places, values): (Vec<_>, Vec<_>) = both.into_iter().unzip();
                Effect::Assign(self.place(&places)?, self.expr(&values)?)
            }
            Effect::Assert(_) => Effect::Assert(self.expr(&parts!(all, Effect::Assert(e) => e)?)?),
            Effect::Require { message, .. } => {
                let conditions = parts!(all, Effect::Require { condition, .. } => condition)?;
                Effect::Require { condition: self.expr(&conditions)?, message: message.clone() }
            }
            Effect::Remove => parts!(all, Effect::Remove => Effect::Remove)?.pop()?,
            // Output is not part of a state.
            Effect::Print(print) => parts!(all, Effect::Print(_) => Effect::Print(print.clone()))?.pop()?,
            Effect::Run { .. } | Effect::SetPriority { .. } => return None,
        })
    }
}
