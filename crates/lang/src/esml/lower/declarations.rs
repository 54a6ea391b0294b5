//! Constants, types and variables.

use kripke_model::ir::{Channel as ChannelDeclaration, ChannelId, Enum, EnumId, Expr, Init, Shows, Type, Var, VarId};

use super::Lowering;
use super::access::Shape;
use super::scope::{Channel, Home, Symbol, Variable};
use super::types::{Alphabet, BOOLEAN, Kind, Ty, TypeId, TypeInfo, number};
use crate::diagnostic::{Diagnostic, warn};
use crate::esml::ast::{self, Declaration, Mode, Name, Parameter, TypeDefinition, Variables};
use crate::limits;
use crate::source::Span;

impl Lowering<'_> {
    pub(super) fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            match declaration {
                Declaration::Constant { name, value } => self.constant_definition(name, value),
                Declaration::Type { name, definition, span } => self.type_definition(name, definition, *span),
                Declaration::Variables(variables) => self.variables(variables),
            }
        }
    }

    fn constant_definition(&mut self, name: &Name, value: &ast::Expr) {
        let Some(found) = self.value(value) else { return };
        match found.constant() {
            Some(n) => self.declare(name, Symbol::Constant { ty: found.ty, value: n }),
            None => {
                let what = "this must be a constant";
                self.error(Diagnostic::error(value.span, what, "its value is not known before the model runs"));
            }
        }
    }

    fn type_definition(&mut self, name: &Name, definition: &TypeDefinition, span: Span) {
        let id = TypeId(self.types.len());
        let Some(kind) = self.kind(name, id, definition) else { return };
        let words = self.words(&kind);
        if words > limits::MAX_ESML_WORDS {
            let what = format!("this type is too large: {words} values, {} at most", limits::MAX_ESML_WORDS);
            self.error(Diagnostic::error(span, what, "too large"));
            return;
        }
        self.types.push(TypeInfo { name: name.text.clone(), kind, words });
        self.declare(name, Symbol::Type(id));
        if let TypeDefinition::Enumeration(symbols) = definition {
            for (i, symbol) in symbols.iter().enumerate() {
                self.declare(symbol, Symbol::Constant { ty: Ty::Defined(id), value: i as i32 });
            }
        }
    }

    fn words(&self, kind: &Kind) -> usize {
        match kind {
            Kind::Boolean | Kind::Subrange { .. } | Kind::Enumeration(_) => 1,
            Kind::Array { size, of } => (*size as usize).saturating_mul(self.info(*of).words),
            Kind::List { size, of } => (*size as usize).saturating_mul(self.info(*of).words).saturating_add(1),
            Kind::Tuple(fields) => fields.iter().map(|(_, ty)| self.info(*ty).words).fold(0, usize::saturating_add),
            Kind::Alphabet(alphabet) => alphabet.fields.len(),
        }
    }

    fn kind(&mut self, name: &Name, id: TypeId, definition: &TypeDefinition) -> Option<Kind> {
        match definition {
            TypeDefinition::Subrange(low, high) => self.subrange(low, high),
            TypeDefinition::Enumeration(symbols) => {
                let names = symbols.iter().map(|s| s.text.clone()).collect();
                Some(Kind::Enumeration(self.enumeration(&name.text, names)))
            }
            TypeDefinition::Array(size, of) => {
                let (size, of) = (self.size(size), self.element_type(of));
                Some(Kind::Array { size: size?, of: of? })
            }
            TypeDefinition::List(size, of) => {
                let (size, of) = (self.size(size), self.element_type(of));
                Some(Kind::List { size: size?, of: of? })
            }
            TypeDefinition::Tuple(fields) => self.tuple(fields),
            TypeDefinition::Alphabet(signals) => self.alphabet(name, signals, id),
        }
    }

    fn subrange(&mut self, low: &ast::Expr, high: &ast::Expr) -> Option<Kind> {
        let (from, to) = (self.constant(low, Ty::Integer), self.constant(high, Ty::Integer));
        let (from, to) = (from?, to?);
        if from > to {
            let span = crate::source::join(low.span, high.span);
            let what = format!("the range {from}..{to} is empty");
            self.error(Diagnostic::error(span, what, "the lower bound comes first"));
            return None;
        }
        Some(Kind::Subrange { low: from, high: to })
    }

    fn enumeration(&mut self, name: &str, symbols: Vec<String>) -> EnumId {
        let numbered = symbols.into_iter().zip(0..).collect();
        self.enums.push(Enum { name: name.to_string(), symbols: numbered });
        EnumId(self.enums.len() as u32 - 1)
    }

    fn size(&mut self, size: &ast::Expr) -> Option<u32> {
        let n = self.constant(size, Ty::Integer)?;
        if n <= 0 {
            let what = "a size must be at least 1";
            self.error(Diagnostic::error(size.span, what, format!("this is {n}")));
            return None;
        }
        u32::try_from(n).ok()
    }

    /// The type a name stands for.
    fn named(&mut self, name: &Name) -> Option<TypeId> {
        if name.text == "BOOLEAN" {
            return Some(BOOLEAN);
        }
        match self.resolve(name, "type")? {
            Symbol::Type(id) => Some(id),
            _ => {
                self.misplaced(name, "a type");
                None
            }
        }
    }

    /// A type of data: anything but an alphabet.
    fn element_type(&mut self, name: &Name) -> Option<TypeId> {
        let id = self.named(name)?;
        if matches!(self.info(id).kind, Kind::Alphabet(_)) {
            let what = format!("`{}` is an alphabet: its messages can be sent, but not stored", name.text);
            self.error(Diagnostic::error(name.span, what, "expected a type of data"));
            return None;
        }
        Some(id)
    }

    fn tuple(&mut self, fields: &[Variables]) -> Option<Kind> {
        let mut all: Vec<(String, TypeId)> = Vec::new();
        for group in fields {
            let ty = self.element_type(&group.ty);
            for name in &group.names {
                if all.iter().any(|(n, _)| *n == name.text) {
                    let what = format!("there are two fields `{}`", name.text);
                    self.error(Diagnostic::error(name.span, what, "the second one"));
                }
                all.extend(ty.map(|ty| (name.text.clone(), ty)));
            }
            ty?;
        }
        Some(Kind::Tuple(all))
    }

    fn alphabet(&mut self, name: &Name, signals: &[ast::Signal], id: TypeId) -> Option<Kind> {
        let mut all: Vec<(String, Option<TypeId>)> = Vec::new();
        let mut data: Vec<Type> = Vec::new();
        for signal in signals {
            if all.iter().any(|(n, _)| *n == signal.name.text) {
                let what = format!("there are two messages `{}`", signal.name.text);
                self.error(Diagnostic::error(signal.name.span, what, "the second one"));
            }
            let ty = match &signal.data {
                Some(ty) => Some(self.element_type(ty)?),
                None => None,
            };
            let mut words = Vec::new();
            if let Some(ty) = ty {
                self.word_types(ty, &mut words);
            }
            for (i, word) in words.into_iter().enumerate() {
                match data.get_mut(i) {
                    None => data.push(word),
                    Some(other) if *other != word => *other = Type::number(32, true),
                    Some(_) => {}
                }
            }
            all.push((signal.name.text.clone(), ty));
        }
        let symbols = self.enumeration(&name.text, all.iter().map(|(n, _)| n.clone()).collect());
        let tag = Type { shows: Shows::Symbol(symbols), ..number(0, all.len() as i32 - 1) };
        debug_assert_eq!(id.0, self.types.len());
        let fields = std::iter::once(tag).chain(data).collect();
        Some(Kind::Alphabet(Alphabet { signals: all, fields }))
    }

    /// The types of all words of a value, in order.
    fn word_types(&self, ty: TypeId, out: &mut Vec<Type>) {
        match &self.info(ty).kind {
            Kind::Array { size, of } => (0..*size).for_each(|_| self.word_types(*of, out)),
            Kind::List { size, of } => {
                out.push(number(0, *size as i32));
                (0..*size).for_each(|_| self.word_types(*of, out));
            }
            Kind::Tuple(fields) => fields.iter().for_each(|(_, ty)| self.word_types(*ty, out)),
            _ => out.push(self.word(ty).0),
        }
    }

    fn variables(&mut self, variables: &Variables) {
        let Some(ty) = self.named(&variables.ty) else { return };
        let channel = matches!(self.info(ty).kind, Kind::Alphabet(_));
        for name in &variables.names {
            match (channel, self.in_process) {
                (true, false) => self.global_channel(name, ty),
                (true, true) => self.local_channel(name, ty),
                (false, true) => self.local_variable(name, ty),
                (false, false) => {
                    let what = "only channels can be shared by processes";
                    let help = format!("`{}` is a type of data; declare the variable in a process", variables.ty.text);
                    self.error(Diagnostic::error(name.span, what, "not a channel").help(help));
                }
            }
        }
    }

    fn global_channel(&mut self, name: &Name, alphabet: TypeId) {
        let Kind::Alphabet(kind) = &self.info(alphabet).kind else { return };
        let (declaration, var) = (ChannelId(self.channels.len() as u32), VarId(self.global_vars.len() as u32));
        let fields = kind.fields.clone();
        self.channels.push(ChannelDeclaration { name: name.text.clone(), capacity: 0, fields, span: name.span });
        self.global_vars.push(Var {
            name: name.text.clone(),
            ty: channel_type(),
            dims: Vec::new(),
            init: Init::Channels(declaration),
            range: None,
            hidden: false,
            span: name.span,
        });
        self.declare(name, Symbol::Channel(Channel { alphabet, mode: Mode::Both, home: Home::Global(var) }));
    }

    fn local_channel(&mut self, name: &Name, alphabet: TypeId) {
        let what = "a channel of one process only is of no use";
        let help = "declare channels before the processes and pass them as parameters";
        warn(self.diagnostics, Diagnostic::warning(name.span, what, "no other process can use it").help(help));
        self.declare(name, Symbol::Channel(Channel { alphabet, mode: Mode::Both, home: Home::Nowhere }));
    }

    fn local_variable(&mut self, name: &Name, ty: TypeId) {
        let Some(()) = self.spend(self.info(ty).words, name.span) else { return };
        let shape = self.allocate(name, ty);
        self.declare(name, Symbol::Variable(Variable { ty, shape, parameter: false }));
    }

    pub(super) fn allocate(&mut self, name: &Name, ty: TypeId) -> Shape {
        self.shape(&Path { name: name.text.clone(), inside: name.text.clone(), span: name.span }, ty, &[])
    }

    /// Makes the variables of the model that hold one of the user's.
    fn shape(&mut self, path: &Path, ty: TypeId, dims: &[u32]) -> Shape {
        match self.info(ty).kind.clone() {
            Kind::Array { size, of } => {
                let dims = [dims, &[size]].concat();
                Shape::Array(size, Box::new(self.shape(path, of, &dims)))
            }
            Kind::List { size, of } => {
                let len = self.variable(format!("{}.len", path.inside), number(0, size as i32), (0, size as i32), dims);
                let dims = [dims, &[size]].concat();
                let inside = Path { inside: format!("{}[]", path.inside), ..path.clone() };
                Shape::List { size, len: self.spanned(len, path.span), items: Box::new(self.shape(&inside, of, &dims)) }
            }
            Kind::Tuple(fields) => {
                let part = |(field, ty): &(String, TypeId)| {
                    let name = format!("{}.{field}", path.name);
                    let path = Path { inside: name.clone(), name, span: path.span };
                    self.shape(&path, *ty, dims)
                };
                Shape::Tuple(fields.iter().map(part).collect())
            }
            _ => {
                let (word, range) = self.word(ty);
                let var = self.variable(path.name.clone(), word, range, dims);
                Shape::Word(self.spanned(var, path.span))
            }
        }
    }

    fn spanned(&mut self, var: VarId, span: Span) -> VarId {
        self.vars[var.index()].span = span;
        var
    }

    /// A variable of the process being lowered. It starts with its least value.
    pub(super) fn variable(&mut self, name: String, ty: Type, range: (i32, i32), dims: &[u32]) -> VarId {
        let span = self.process_span;
        let init = if range.0 == 0 || range.0 == i32::MIN { Init::Zero } else { Init::All(Expr::Const(range.0)) };
        let checked = (ty.wrap(range.0.wrapping_sub(1)) == range.0.wrapping_sub(1)
            || ty.wrap(range.1.wrapping_add(1)) == range.1.wrapping_add(1)
            || ty.shows == Shows::Number)
            && range != (i32::MIN, i32::MAX);
        let range = checked.then_some(range);
        self.vars.push(Var { name, ty, dims: dims.to_vec(), init, range, hidden: false, span });
        VarId(self.vars.len() as u32 - 1)
    }

    pub(super) fn parameters(&mut self, parameters: &[Parameter]) -> Vec<TypeId> {
        let mut types = Vec::new();
        for Parameter { mode, variables } in parameters {
            let Some(ty) = self.named(&variables.ty) else { continue };
            let channel = matches!(self.info(ty).kind, Kind::Alphabet(_));
            if !channel && *mode != Mode::Both {
                let what = "`IN` and `OUT` are for channels";
                let here = format!("`{}` is a type of data", variables.ty.text);
                self.error(Diagnostic::error(variables.ty.span, what, here));
            }
            for name in &variables.names {
                self.parameter(name, ty, *mode, channel);
                types.push(ty);
            }
        }
        types
    }

    fn parameter(&mut self, name: &Name, ty: TypeId, mode: Mode, channel: bool) {
        if channel {
            let var = self.variable(name.text.clone(), channel_type(), (0, 255), &[]);
            (self.vars[var.index()].init, self.vars[var.index()].range) = (Init::Param, None);
            self.spanned(var, name.span);
            let home = Home::Parameter(var);
            return self.declare(name, Symbol::Channel(Channel { alphabet: ty, mode, home }));
        }
        if !self.is_scalar(self.ty(ty)) {
            let what = "a parameter is a channel or a single value";
            let here = format!("`{}` is a structured type", self.info(ty).name);
            return self.error(Diagnostic::error(name.span, what, here));
        }
        let shape = self.allocate(name, ty);
        if let Some(var) = self.vars.last_mut() {
            var.init = Init::Param;
        }
        self.declare(name, Symbol::Variable(Variable { ty, shape, parameter: true }));
    }
}

/// The name of a variable of the model.
#[derive(Clone)]
struct Path {
    name: String,
    /// With `[]` for each list around: what its length is called after.
    inside: String,
    span: Span,
}

fn channel_type() -> Type {
    Type { bits: 8, signed: false, shows: Shows::Channel }
}
