//! Channels and variables.

use std::collections::HashMap;

use kripke_model::ir::{self, ChannelId, Init, Shows, Type, Var, VarId, VarRef};

use super::index::{Declared, Symbol};
use super::{Lowering, MAX_CHANNELS};
use crate::diagnostic::{Diagnostic, warn};
use crate::dve::ast::{Basic, Channel, Initialiser, Name, System, Variable};
use crate::source::Span;

/// Messages in a channel, and elements of an array: more can't be searched.
const MAX_CAPACITY: i32 = 255;
const MAX_ELEMENTS: i32 = 1 << 24;

impl Basic {
    pub(super) fn ty(self) -> Type {
        match self {
            Basic::Byte => Type::number(8, false),
            Basic::Int => Type::number(16, true),
        }
    }

    pub(super) fn range(self) -> (i32, i32) {
        match self {
            Basic::Byte => (0, 255),
            Basic::Int => (-32768, 32767),
        }
    }
}

impl Lowering<'_> {
    /// Makes a name known, unless it is taken.
    fn declare(&mut self, scope: Option<usize>, name: &Name, symbol: Symbol) {
        let declared = Declared { symbol, span: name.span };
        let own = scope.map_or(&self.index.globals, |s| &self.index.scopes[s].symbols);
        if let Some(before) = own.get(&*name.text).copied() {
            let wrong = format!("`{}` is declared already", name.text);
            let wrong = Diagnostic::error(name.span, wrong, "declared again here");
            return self.report(wrong.label(before.span, "first declared here"));
        }
        // The language's definition forbids it, but DiVinE reads such models, and BEEM has some.
        if let Some(before) = self.index.find(scope, &name.text) {
            let text = format!("`{}` of this process hides a global one", name.text);
            let warning = Diagnostic::warning(name.span, text, "another one of this name");
            warn(self.diagnostics, warning.label(before.span, "the global one"));
        }
        if let Symbol::Constant(value) = symbol {
            let owner = scope.map(|s| format!("{}->", self.index.scopes[s].name)).unwrap_or_default();
            self.constants.push((format!("{owner}{}", name.text), value));
        }
        let symbols = match scope {
            Some(scope) => &mut self.index.scopes[scope].symbols,
            None => &mut self.index.globals,
        };
        symbols.insert(name.text.to_string(), declared);
    }

    pub(super) fn channels(&mut self, system: &System) {
        let arities = first_uses(system);
        for (i, channel) in system.channels.iter().enumerate() {
            if i == MAX_CHANNELS {
                let wrong = format!("at most {MAX_CHANNELS} channels can be declared");
                return self.report(Diagnostic::error(channel.name.span, wrong, "one too many"));
            }
            self.channel(channel, arities.get(&*channel.name.text).copied().unwrap_or(0));
        }
    }

    /// A channel is a variable of the model that always has the same value.
    fn channel(&mut self, channel: &Channel, arity: usize) {
        let (fields, capacity) = match &channel.typed {
            // Values sent through an untyped channel are not truncated.
            None => (vec![Type::number(32, true); arity], 0),
            Some(typed) => {
                let capacity = self.constant(None, &typed.capacity, "the size of a channel").unwrap_or(0);
                if !(0..=MAX_CAPACITY).contains(&capacity) {
                    let wrong = format!("a channel holds 0 to {MAX_CAPACITY} messages, not {capacity}");
                    self.report(Diagnostic::error(typed.capacity.span, wrong, ""));
                }
                (typed.fields.iter().map(|f| f.ty()).collect(), capacity.clamp(0, MAX_CAPACITY) as u32)
            }
        };
        let name = &channel.name;
        let declaration = ChannelId(self.model.channels.len() as u32);
        self.model.channels.push(ir::Channel { name: name.text.to_string(), capacity, fields, span: name.span });
        let ty = Type { bits: 8, signed: false, shows: Shows::Channel };
        let init = Init::Channels(declaration);
        self.model.globals.push(variable(name, ty, Vec::new(), init));
        self.declare(None, name, Symbol::Channel(declaration.0 + 1));
    }

    /// A variable of the system, or of a process.
    pub(super) fn variable(&mut self, scope: Option<usize>, declared: &Variable) {
        let name = &declared.name;
        let size = declared.size.as_ref().map(|size| {
            let elements = self.constant(scope, size, "the size of an array").unwrap_or(1);
            if !(1..=MAX_ELEMENTS).contains(&elements) {
                let wrong = format!("an array has 1 to {MAX_ELEMENTS} elements, not {elements}");
                self.report(Diagnostic::error(size.span, wrong, ""));
            }
            elements.clamp(1, MAX_ELEMENTS) as u32
        });
        let init = self.initial(scope, declared, size);
        if declared.constant && size.is_none() {
            let value = match init {
                Init::Zero => Some(0),
                Init::All(ir::Expr::Const(value)) => Some(value),
                _ => None,
            };
            if let Some(value) = value {
                return self.declare(scope, name, Symbol::Constant(value));
            }
        }
        let mut var = variable(name, declared.basic.ty(), size.into_iter().collect(), init);
        var.range = Some(declared.basic.range());
        // The variables of the property are the system's: an observer has none.
        let owner = scope.map(|s| (s, &self.index.scopes[s]));
        let local = owner.is_some_and(|(_, scope)| scope.process.is_some());
        if let Some((_, scope)) = owner.filter(|_| !local) {
            var.name = format!("{}->{}", scope.name, name.text);
        }
        let vars = match scope.filter(|_| local) {
            Some(scope) => &mut self.process(scope).locals,
            None => &mut self.model.globals,
        };
        let id = VarId(vars.len() as u32);
        vars.push(var);
        let var = if local { VarRef::Local(id) } else { VarRef::Global(id) };
        self.declare(scope, name, Symbol::Variable { var, size, constant: declared.constant });
    }

    fn initial(&mut self, scope: Option<usize>, declared: &Variable, size: Option<u32>) -> Init {
        let name = &declared.name.text;
        match (&declared.init, size) {
            (None, _) => Init::Zero,
            (Some(Initialiser::One(value)), None) => {
                let Some(expr) = self.context(scope).expr(value) else { return Init::Zero };
                self.check_range(declared.basic, &expr, value.span);
                Init::All(expr)
            }
            (Some(Initialiser::List(values, span)), Some(size)) => {
                let mut exprs = Vec::new();
                for value in values {
                    let Some(expr) = self.context(scope).expr(value) else { return Init::Zero };
                    self.check_range(declared.basic, &expr, value.span);
                    exprs.push(expr);
                }
                if exprs.len() > size as usize {
                    let text = format!("`{name}` has {size} elements, but there are {} values", exprs.len());
                    warn(self.diagnostics, Diagnostic::warning(*span, text, "the last ones are ignored"));
                    exprs.truncate(size as usize);
                }
                Init::List(exprs)
            }
            (Some(Initialiser::One(value)), Some(_)) => {
                let wrong = format!("`{name}` is an array: its values are a list");
                self.report(Diagnostic::error(value.span, wrong, "one value").help("write `{1, 2, 3}`"));
                Init::Zero
            }
            (Some(Initialiser::List(_, span)), None) => {
                let wrong = format!("`{name}` is not an array");
                let help = format!("write `{name}[…] = {{…}}` for an array");
                self.report(Diagnostic::error(*span, wrong, "a list of values").help(help));
                Init::Zero
            }
        }
    }

    fn check_range(&mut self, basic: Basic, value: &ir::Expr, span: Span) {
        let (least, most) = basic.range();
        if let ir::Expr::Const(n) = value
            && !(least..=most).contains(n)
        {
            let ty = if basic == Basic::Byte { "byte" } else { "int" };
            self.report(Diagnostic::error(
                span,
                format!("{n} is not {least} to {most}"),
                format!("too large for {ty}"),
            ));
        }
    }

    /// The value of an expression that must be known now.
    fn constant(&mut self, scope: Option<usize>, expr: &crate::dve::ast::Expr, what: &str) -> Option<i32> {
        match self.context(scope).expr(expr)? {
            ir::Expr::Const(value) => Some(value),
            _ => {
                let help = "use numbers and names declared with `const`";
                self.report(Diagnostic::error(expr.span, format!("{what} must be constant"), "it is not").help(help));
                None
            }
        }
    }
}

fn variable(name: &Name, ty: Type, dims: Vec<u32>, init: Init) -> Var {
    Var { name: name.text.to_string(), ty, dims, init, range: None, hidden: false, span: name.span }
}

/// The number of values in the first use of each channel, which is the arity of an untyped channel.
fn first_uses(system: &System) -> HashMap<&str, usize> {
    let mut arities = HashMap::new();
    for sync in system.processes.iter().flat_map(|p| &p.transitions).filter_map(|t| t.sync.as_ref()) {
        arities.entry(&*sync.channel.text).or_insert(sync.values.len());
    }
    arities
}
