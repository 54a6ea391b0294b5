//! Declarations: symbolic constants, records, variables and channels.

use kripke_model::ir::{self, Channel, ChannelId, Enum, EnumId, Expr, Var};

use super::environment::{Constant, Environment};
use super::types::{Basic, Field, Leaf, MAX_ELEMENTS, MAX_LEAVES, Record, Scalar, Shape, Symbol, leaf_count, leaves};
use super::view::{View, is_predefined};
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, TypeName, Visibility};
use crate::source::Span;

/// As many names as one `mtype` may have: values are stored in a byte, and 0 is none of them.
const MAX_SYMBOLS: usize = 255;
/// Slots of one channel.
const MAX_CAPACITY: i32 = 65_535;

/// When a variable gets the value it is declared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    /// Before anything runs.
    Start,
    /// In a step of its own, each time control passes.
    Step,
    /// By the process that creates this one.
    Param,
}

/// A declared variable, not yet entered anywhere.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub symbol: Symbol,
    pub vars: Vec<(Var, Basic)>,
    pub channels: Vec<Channel>,
}

impl<'d> Environment<'d> {
    /// `mtype = { … }`. Within one list the last name has the lowest number; several lists continue each other.
    pub fn declare_symbols(&mut self, kind: Option<&ast::Name>, symbols: &[ast::Name], unit: usize) {
        let kind = self.enumeration(kind.map(|k| k.text.as_str()));
        let before = self.enums[kind.index()].symbols.len();
        if before + symbols.len() > MAX_SYMBOLS {
            let span = symbols[0].span;
            self.error(span, format!("an `mtype` has at most {MAX_SYMBOLS} names"), "too many names");
            return;
        }
        for (i, name) in symbols.iter().rev().enumerate() {
            if let Some(first) = self.taken(&name.text) {
                self.redeclared(name, first);
                continue;
            }
            let value = (before + i + 1) as i32;
            self.constants.insert(name.text.clone(), Constant { kind, value, span: name.span, unit });
            self.enums[kind.index()].symbols.push((name.text.clone(), value));
        }
    }

    /// The enumeration of this kind of `mtype`; the nameless one is called just that.
    pub fn enumeration(&mut self, kind: Option<&str>) -> EnumId {
        let name = kind.map_or("mtype".to_string(), |k| format!("mtype:{k}"));
        let found = self.enums.iter().position(|e| e.name == name);
        let index = found.unwrap_or_else(|| {
            self.enums.push(Enum { name, symbols: Vec::new() });
            self.enums.len() - 1
        });
        EnumId(index as u32)
    }

    pub fn redeclared(&self, name: &ast::Name, first: Span) {
        let message = format!("`{}` is declared twice", name.text);
        self.report(Diagnostic::error(name.span, message, "declared again here").label(first, "first declared here"));
    }

    pub fn declare_record(&mut self, name: &ast::Name, decls: &[ast::Decl], unit: usize) {
        if let Some(first) = self.taken(&name.text) {
            return self.redeclared(name, first);
        }
        let mut fields: Vec<Field> = Vec::new();
        let mut count = 0;
        for decl in decls {
            let Some(shape) = self.shape(&decl.ty, decl.span) else { continue };
            for var in &decl.vars {
                if fields.iter().any(|f| f.name == var.name.text) {
                    let message = format!("`{}` has two fields `{}`", name.text, var.name.text);
                    self.error(var.name.span, message, "declared again here");
                }
                let view = self.outside(unit);
                let shape = view.sized(shape, var);
                let len = view.length(var);
                count += leaf_count(&self.records, shape);
                fields.push(Field { name: var.name.text.clone(), shape, len, init: var.init.clone() });
            }
        }
        if fields.is_empty() {
            return self.error(name.span, format!("the record `{}` has no fields", name.text), "nothing in it");
        }
        if count > MAX_LEAVES {
            let message = format!("`{}` is too large", name.text);
            return self.error(name.span, message, format!("{count} plain variables"));
        }
        self.records.push(Record { name: name.text.clone(), span: name.span, fields, leaves: count });
    }

    /// The type with this name; an unknown name is an error.
    pub fn shape(&mut self, name: &TypeName, span: Span) -> Option<Shape> {
        if let TypeName::User(user) = name {
            let Some(record) = self.record(&user.text) else {
                let message = format!("`{}` is not a type", user.text);
                let mut diagnostic = Diagnostic::error(user.span, message, "not declared with `typedef`");
                if let Some(close) = self.closest(&user.text, self.records.iter().map(|r| r.name.as_str())) {
                    diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
                }
                self.report(diagnostic);
                return None;
            };
            return Some(Shape::Record(record));
        }
        let symbols = match name {
            TypeName::Mtype(kind) => Some(self.enumeration(kind.as_ref().map(|k| k.text.as_str()))),
            _ => None,
        };
        let scalar = Scalar::named(name, symbols);
        if scalar.is_none() {
            self.error(span, "this type is not known", "unknown type");
        }
        scalar.map(Shape::Scalar)
    }

    /// The view from outside all processes.
    pub fn outside(&self, unit: usize) -> View<'_, 'd> {
        View { env: self, frame: None, at: super::frames::Place::default(), unit }
    }

    /// Enters the channels of a declaration.
    pub fn enter_channels(&mut self, channels: Vec<Channel>) {
        for channel in channels {
            self.widest = self.widest.max(channel.fields.len());
            self.channels.push(channel);
        }
    }

    pub fn declare_global(&mut self, decl: &ast::Decl, unit: usize, types: &mut Vec<Basic>) {
        let Some(shape) = self.shape(&decl.ty, decl.span) else { return };
        for var in &decl.vars {
            if let Some(first) = self.taken(&var.name.text) {
                self.redeclared(&var.name, first);
                continue;
            }
            let hidden = decl.visibility == Some(Visibility::Hidden);
            let declared = self.outside(unit).declare(shape, var, When::Start, hidden);
            let Some(Declared { mut symbol, vars, channels }) = declared else { continue };
            symbol.first = self.vars.len() as u32;
            symbol.unit = unit;
            for (var, basic) in vars {
                self.vars.push(var);
                types.push(basic);
            }
            self.globals.push(symbol);
            self.enter_channels(channels);
        }
    }
}

impl View<'_, '_> {
    /// `unsigned x : 5`
    fn sized(&self, shape: Shape, var: &ast::VarDecl) -> Shape {
        let Shape::Scalar(mut scalar) = shape else { return shape };
        match (&var.width, scalar.basic) {
            (None, Basic::Unsigned) => {
                let help = format!("write `unsigned {} : 8`, for example", var.name.text);
                let what = "an `unsigned` needs its number of bits";
                self.env.report(Diagnostic::error(var.span, what, "how wide?").help(help));
            }
            (None, _) => {}
            (Some(width), Basic::Unsigned) => {
                if let Some(bits) = self.constant_value(width, "the width of an `unsigned`") {
                    match u8::try_from(bits) {
                        Ok(bits @ 1..=31) => scalar.ty.bits = bits,
                        _ => self.env.error(width.span, "an `unsigned` has 1 to 31 bits", "not a possible width"),
                    }
                }
            }
            (Some(width), _) => self.env.error(width.span, "only an `unsigned` can have a width", "not needed"),
        }
        Shape::Scalar(scalar)
    }

    fn length(&self, var: &ast::VarDecl) -> Option<u32> {
        let len = var.len.as_ref()?;
        let value = self.constant_value(len, "the length of an array").unwrap_or(1);
        match u32::try_from(value) {
            Ok(n) if n > 0 && u64::from(n) <= MAX_ELEMENTS => Some(n),
            _ => {
                self.env.error(len.span, format!("an array can't have {value} elements"), "bad array size");
                Some(1)
            }
        }
    }

    /// Makes a variable of a declaration. Its symbol's `first`, `scope` and `unit` are for the caller to fill in.
    pub fn declare(&self, shape: Shape, var: &ast::VarDecl, when: When, hidden: bool) -> Option<Declared> {
        if is_predefined(&var.name.text) {
            let message = format!("`{}` is predefined", var.name.text);
            self.env.error(var.name.span, message, "can't be declared");
            return None;
        }
        let mut shape = self.sized(shape, var);
        if hidden {
            shape = self.hidden(shape, var);
        }
        let len = self.length(var);
        let mut out = Declared {
            symbol: Symbol {
                name: var.name.text.clone(),
                span: var.name.span,
                shape,
                len,
                first: 0,
                channel: self.described_channel(var),
                constant: self.starting_constant(var),
                scope: 0,
                unit: 0,
            },
            vars: Vec::new(),
            channels: Vec::new(),
        };
        if when == When::Param && (len.is_some() || var.init.is_some()) {
            let what = "a parameter can't be an array or have a value of its own";
            self.env.error(var.span, what, "declared as a parameter");
        }
        for mut leaf in leaves(&self.env.records, &var.name.text, shape, len) {
            if when == When::Param && !leaf.dims.is_empty() {
                self.env.error(var.span, "a record with an array in it can't be a parameter", leaf.name.clone());
            }
            let elements = leaf.dims.iter().map(|d| u64::from(*d)).product::<u64>();
            if elements > MAX_ELEMENTS {
                self.env.error(var.span, format!("`{}` is too large", leaf.name), format!("{elements} elements"));
                return None;
            }
            if matches!(shape, Shape::Scalar(_)) {
                leaf.init = var.init.clone().filter(|_| when == When::Start);
            }
            let init =
                if when == When::Param { ir::Init::Param } else { self.init(&leaf, var.span, &mut out.channels) };
            let ty = leaf.scalar.ty;
            let basic = if matches!(shape, Shape::Record(_)) { Basic::Int } else { leaf.scalar.basic };
            out.vars
                .push((Var { name: leaf.name, ty, dims: leaf.dims, init, range: None, hidden, span: var.span }, basic));
        }
        Some(out)
    }

    /// Hidden variables are plain C variables, which for the narrow types is a byte.
    fn hidden(&self, shape: Shape, var: &ast::VarDecl) -> Shape {
        let message = format!("states that differ only in `{}` will count as one", var.name.text);
        let help = "as in SPIN; errors can be missed unless it is always written before it is read";
        self.env.report(Diagnostic::warning(var.span, message, "hidden").help(help));
        let Shape::Scalar(mut scalar) = shape else { return shape };
        if self.frame.is_some() {
            self.env.error(var.span, "only global variables can be hidden", "declared inside a process");
        }
        match scalar.basic {
            Basic::Bit => self.env.error(var.span, "a `bit` or `bool` can't be hidden", "use a `byte`"),
            Basic::Channel => self.env.error(var.span, "a channel can't be hidden", "declared hidden"),
            Basic::Unsigned => scalar.ty.bits = 8,
            _ => {}
        }
        Shape::Scalar(scalar)
    }

    fn starting_constant(&self, var: &ast::VarDecl) -> Option<i32> {
        match &var.init {
            None => Some(0),
            Some(ast::Init::Expr(ast::Expr { kind: ast::ExprKind::Const(n), .. })) => Some(*n),
            Some(_) => None,
        }
    }

    fn described_channel(&self, var: &ast::VarDecl) -> Option<(u32, Option<usize>)> {
        let Some(ast::Init::Channel { capacity, fields }) = &var.init else { return None };
        let ast::ExprKind::Const(capacity) = capacity.kind else { return None };
        let record = match &fields[..] {
            [(TypeName::User(name), _)] => self.env.record(&name.text),
            _ => None,
        };
        Some((u32::try_from(capacity).ok()?, record))
    }

    fn init(&self, leaf: &Leaf, span: Span, channels: &mut Vec<Channel>) -> ir::Init {
        let Some(init) = &leaf.init else { return ir::Init::Zero };
        let is_channel = leaf.scalar.basic == Basic::Channel;
        match init {
            ast::Init::Expr(e) => {
                if is_channel && matches!(e.kind, ast::ExprKind::Const(_)) {
                    let message = "a channel variable starts as a number";
                    self.env.report(Diagnostic::warning(e.span, message, "not a channel"));
                }
                ir::Init::All(self.expr(e))
            }
            ast::Init::List(list) => {
                let Some(own) = leaf.dims.last() else {
                    self.env.error(span, "only an array can start with a list of values", "not an array");
                    return ir::Init::Zero;
                };
                self.listed(list, *own, leaf)
            }
            ast::Init::Channel { .. } if !is_channel => {
                self.env.error(span, "only a `chan` can be a channel", "declared with another type");
                ir::Init::Zero
            }
            ast::Init::Channel { capacity, fields } => {
                let Some(channel) = self.new_channel(&leaf.name, capacity, fields, span) else {
                    return ir::Init::Zero;
                };
                channels.push(channel);
                ir::Init::Channels(ChannelId((self.env.channels.len() + channels.len() - 1) as u32))
            }
        }
    }

    /// A list shorter than the array repeats its last value.
    fn listed(&self, list: &[ast::Expr], own: u32, leaf: &Leaf) -> ir::Init {
        let values: Vec<Expr> = list.iter().map(|e| self.expr(e)).collect();
        let Some(last) = values.last() else { return ir::Init::Zero };
        let row = (0..own as usize).map(|i| values.get(i).unwrap_or(last).clone());
        let rows = leaf.dims[..leaf.dims.len() - 1].iter().map(|d| *d as usize).product::<usize>();
        let row: Vec<Expr> = row.collect();
        ir::Init::List((0..rows).flat_map(|_| row.iter().cloned()).collect())
    }

    fn new_channel(
        &self,
        name: &str,
        capacity: &ast::Expr,
        fields: &[(TypeName, Span)],
        span: Span,
    ) -> Option<Channel> {
        let slots = self.constant_value(capacity, "the capacity of a channel")?;
        if !(0..=MAX_CAPACITY).contains(&slots) {
            self.env.error(capacity.span, format!("a channel can't hold {slots} messages"), "bad capacity");
            return None;
        }
        let mut types = Vec::new();
        for (ty, at) in fields {
            self.message_field(ty, *at, &mut types);
        }
        // A message of a single bit is kept in a byte, and not cut to one bit.
        if let [only] = &mut types[..] {
            only.bits = only.bits.max(8);
        }
        Some(Channel { name: name.to_string(), capacity: slots as u32, fields: types, span })
    }

    fn message_field(&self, ty: &TypeName, span: Span, out: &mut Vec<ir::Type>) {
        let enums = &self.env.enums;
        let symbols = match ty {
            TypeName::Mtype(kind) => {
                let name = kind.as_ref().map_or("mtype".to_string(), |k| format!("mtype:{}", k.text));
                Some(EnumId(enums.iter().position(|e| e.name == name).unwrap_or(0) as u32))
            }
            _ => None,
        };
        match ty {
            TypeName::Unsigned => {
                self.env.error(span, "`unsigned` can't be the type of a message field", "use `byte` or `int`");
            }
            TypeName::User(user) => {
                let Some(record) = self.env.record(&user.text) else {
                    self.env.error(user.span, format!("`{}` is not a type", user.text), "not declared with `typedef`");
                    return;
                };
                for leaf in leaves(&self.env.records, "", Shape::Record(record), None) {
                    self.record_field(&leaf, span, out);
                }
            }
            _ => out.extend(Scalar::named(ty, symbols).map(|s| s.ty)),
        }
    }

    fn record_field(&self, leaf: &Leaf, span: Span, out: &mut Vec<ir::Type>) {
        if leaf.dims.len() > 1 {
            self.env.error(span, "an array of records can't be sent", leaf.name.clone());
        }
        let mut ty = leaf.scalar.ty;
        match leaf.scalar.basic {
            Basic::Unsigned => self.env.error(span, "a record with an `unsigned` can't be sent", leaf.name.clone()),
            Basic::Bit => ty.bits = 1,
            _ => {}
        }
        let len = leaf.dims.iter().product::<u32>() as usize;
        out.extend(std::iter::repeat_n(ty, len.min(MAX_LEAVES)));
    }
}
