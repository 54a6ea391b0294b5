//! Looking up names from a place in the text.

use kripke_model::ir::{self, Expr, Place as VarPlace, VarId};

use super::environment::Environment;
use super::frames::{Frame, Place};
use super::types::{Basic, Shape, Symbol, leaf_count, leaves};
use crate::diagnostic::Diagnostic;
use crate::promela::ast;
use crate::source::Span;

/// The names visible at a place: the globals declared before it and, inside a process, its own variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'e, 'a> {
    pub env: &'e Environment<'a>,
    pub frame: Option<&'e Frame>,
    pub at: Place,
    /// Declarations with a higher number are not visible.
    pub unit: usize,
}

/// A variable or a part of one, with its indices.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub place: VarPlace,
    pub shape: Shape,
    pub span: Span,
    /// As written, without indices.
    pub name: String,
    /// Everything about the variable, if it is named whole.
    pub symbol: Option<Symbol>,
}

impl Reference {
    pub fn is_channel(&self) -> bool {
        matches!(self.shape, Shape::Scalar(s) if s.basic == Basic::Channel)
    }
}

/// Names that mean something without being declared.
const PREDEFINED: [&str; 7] = ["_", "_pid", "_nr_pr", "_last", "_priority", "_p", "np_"];

pub(super) fn is_predefined(name: &str) -> bool {
    PREDEFINED.contains(&name)
}

impl<'e> View<'e, '_> {
    /// The variable with this name, and whether it is one of the process's own.
    pub fn symbol(&self, name: &str) -> Option<(&'e Symbol, bool)> {
        let local = self.frame.and_then(|f| f.find(name, self.at)).map(|s| (s, true));
        local.or_else(|| self.env.global(name).filter(|s| s.unit <= self.unit).map(|s| (s, false)))
    }

    /// The value of a symbolic constant.
    pub fn constant(&self, name: &str) -> Option<i32> {
        self.env.constants.get(name).filter(|c| c.unit <= self.unit).map(|c| c.value)
    }

    /// The constant a plain name stands for.
    pub fn constant_ref(&self, var: &ast::VarRef) -> Option<i32> {
        match &var.parts[..] {
            [ast::VarPart { name, index: None }] => self.constant(&name.text),
            _ => None,
        }
    }

    /// Resolves a reference that must have all the indices it needs.
    pub fn reference(&self, var: &ast::VarRef) -> Option<Reference> {
        self.resolve(var, true)
    }

    /// Resolves a reference to a whole variable, which may be an array.
    pub fn whole(&self, var: &ast::VarRef) -> Option<Reference> {
        self.resolve(var, false)
    }

    fn resolve(&self, var: &ast::VarRef, indexed: bool) -> Option<Reference> {
        let first = var.parts.first()?;
        let Some((symbol, local)) = self.symbol(&first.name.text) else {
            self.undeclared(&first.name);
            return None;
        };
        let mut index = Vec::new();
        self.index(first, symbol.len, indexed || var.parts.len() > 1, &mut index)?;
        let mut shape = symbol.shape;
        let mut leaf = symbol.first;
        let mut name = first.name.text.clone();
        let last = var.parts.len() - 1;
        for (i, part) in var.parts.iter().enumerate().skip(1) {
            let Shape::Record(record) = shape else {
                let message = format!("`{name}` has no fields");
                self.env.error(part.name.span, message, "it is not a record");
                return None;
            };
            let record = &self.env.records[record];
            let Some(at) = record.fields.iter().position(|f| f.name == part.name.text) else {
                self.no_field(&part.name, record);
                return None;
            };
            let before = record.fields[..at].iter().map(|f| leaf_count(&self.env.records, f.shape)).sum::<usize>();
            leaf += before as u32;
            let field = &record.fields[at];
            self.index(part, field.len, indexed || i < last, &mut index)?;
            shape = field.shape;
            name = format!("{name}.{}", field.name);
        }
        let var_ref = if local { ir::VarRef::Local(VarId(leaf)) } else { ir::VarRef::Global(VarId(leaf)) };
        let symbol = (last == 0).then(|| symbol.clone());
        Some(Reference { place: VarPlace { var: var_ref, index }, shape, span: var.span, name, symbol })
    }

    /// Adds the index of one part of a reference, if it is an array.
    fn index(&self, part: &ast::VarPart, len: Option<u32>, needed: bool, out: &mut Vec<Expr>) -> Option<()> {
        match (&part.index, len) {
            (Some(index), Some(_)) => out.push(self.expr(index)),
            (None, None) => {}
            (None, Some(_)) if !needed => {}
            (None, Some(_)) => {
                let message = format!("`{}` is an array: which element?", part.name.text);
                let help = format!("write `{}[...]`", part.name.text);
                self.env.report(Diagnostic::error(part.name.span, message, "missing array index").help(help));
                return None;
            }
            // The only element of what is not an array.
            (Some(ast::Expr { kind: ast::ExprKind::Const(0), .. }), None) => {}
            (Some(index), None) => {
                let message = format!("`{}` is not an array", part.name.text);
                self.env.error(index.span, message, "can't be indexed");
                return None;
            }
        }
        Some(())
    }

    fn undeclared(&self, name: &ast::Name) {
        let text = &name.text;
        let mut diagnostic = Diagnostic::error(name.span, format!("`{text}` is not declared"), "not declared here");
        let elsewhere = self.frame.and_then(|f| f.symbols.named(text, usize::MAX).next()).map(|s| s.span);
        let later = self.env.global(text).map(|s| s.span).or(self.env.constants.get(text).map(|c| c.span));
        if let Some(span) = elsewhere {
            diagnostic = diagnostic.label(span, "this declaration is not visible there");
        } else if let Some(span) = later {
            diagnostic = diagnostic.label(span, "declared here, after its use").help("move the declaration up");
        } else if self.env.process(text).is_some() {
            diagnostic = diagnostic.help(format!("`{text}` is a process type: start it with `run {text}(...)`"));
        } else {
            let locals = self.frame.into_iter().flat_map(|f| f.visible(self.at)).map(|s| s.name.as_str());
            let globals = self.env.globals.iter().map(|s| s.name.as_str());
            let constants = self.env.constants.keys().map(String::as_str);
            if let Some(close) = self.env.closest(text, locals.chain(globals).chain(constants)) {
                diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            }
        }
        self.env.report(diagnostic);
    }

    fn no_field(&self, name: &ast::Name, record: &super::types::Record) {
        let message = format!("`{}` has no field `{}`", record.name, name.text);
        let mut diagnostic = Diagnostic::error(name.span, message, "no such field");
        let close = self.env.closest(&name.text, record.fields.iter().map(|f| f.name.as_str()));
        if let Some(close) = close {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        } else {
            diagnostic = diagnostic.label(record.span, "declared here");
        }
        self.env.report(diagnostic);
    }

    /// The plain variables of a record, arrays element by element, as messages and parameters carry them.
    pub fn expand(&self, reference: &Reference) -> Option<Vec<VarPlace>> {
        let outer = reference.place.index.len();
        let (var, local) = match reference.place.var {
            ir::VarRef::Global(v) => (v.0, false),
            ir::VarRef::Local(v) => (v.0, true),
        };
        let mut out = Vec::new();
        for (i, leaf) in leaves(&self.env.records, "", reference.shape, None).into_iter().enumerate() {
            let id = VarId(var + i as u32);
            let var = if local { ir::VarRef::Local(id) } else { ir::VarRef::Global(id) };
            if leaf.dims.len() > 1 || self.has_record_array(reference.shape) {
                let message = format!("`{}` holds an array of records", reference.name);
                self.env.error(reference.span, message, "can't be sent or passed as a whole");
                return None;
            }
            for element in 0..leaf.dims.first().copied().unwrap_or(1) {
                let mut index = reference.place.index[..outer].to_vec();
                if !leaf.dims.is_empty() {
                    index.push(Expr::Const(element as i32));
                }
                out.push(VarPlace { var, index });
            }
        }
        Some(out)
    }

    fn has_record_array(&self, shape: Shape) -> bool {
        let Shape::Record(record) = shape else { return false };
        self.env.records[record]
            .fields
            .iter()
            .any(|f| matches!(f.shape, Shape::Record(_)) && (f.len.is_some() || self.has_record_array(f.shape)))
    }
}
