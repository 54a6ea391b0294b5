//! Types of variables: scalars, arrays and records, and how records fall apart into plain variables.

use kripke_model::ir::{EnumId, Shows, Type};

use crate::promela::ast;
use crate::source::Span;

/// Plain variables of one record.
pub(super) const MAX_LEAVES: usize = 1 << 14;
/// Elements of one variable.
pub(super) const MAX_ELEMENTS: u64 = 1 << 24;

/// The basic types, in the order in which global variables are initialised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Basic {
    Unsigned,
    Bit,
    Byte,
    Channel,
    Symbol,
    Short,
    Int,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scalar {
    pub basic: Basic,
    pub ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Scalar(Scalar),
    /// Index into the declared records.
    Record(usize),
}

/// A declared variable: one or, if it is a record, several consecutive variables of the model.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub name: String,
    pub span: Span,
    pub shape: Shape,
    /// The length, if it is an array.
    pub len: Option<u32>,
    /// The number of the first variable it became.
    pub first: u32,
    /// The declaration of a channel: its capacity and, if the message is one record, that record.
    pub channel: Option<(u32, Option<usize>)>,
    /// The value it starts with, if that is a plain constant.
    pub constant: Option<i32>,
    /// The block it is declared in; 0 for globals and parameters.
    pub scope: usize,
    /// For a global: the number of its declaration in the text.
    pub unit: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Record {
    pub name: String,
    pub span: Span,
    pub fields: Vec<Field>,
    /// The number of plain variables of one record.
    pub leaves: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    pub shape: Shape,
    pub len: Option<u32>,
    pub init: Option<ast::Init>,
}

/// One plain variable of a record.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub name: String,
    pub scalar: Scalar,
    pub dims: Vec<u32>,
    pub init: Option<ast::Init>,
}

impl Scalar {
    pub fn new(basic: Basic, bits: u8, signed: bool, shows: Shows) -> Scalar {
        Scalar { basic, ty: Type { bits, signed, shows } }
    }

    /// The predefined types. A `mtype` is given by its enumeration.
    pub fn named(name: &ast::TypeName, symbols: Option<EnumId>) -> Option<Scalar> {
        Some(match name {
            ast::TypeName::Bit => Scalar::new(Basic::Bit, 1, false, Shows::Number),
            ast::TypeName::Bool => Scalar::new(Basic::Bit, 1, false, Shows::Bool),
            ast::TypeName::Byte => Scalar::new(Basic::Byte, 8, false, Shows::Number),
            ast::TypeName::Pid => Scalar::new(Basic::Byte, 8, false, Shows::Pid),
            ast::TypeName::Short => Scalar::new(Basic::Short, 16, true, Shows::Number),
            ast::TypeName::Int => Scalar::new(Basic::Int, 32, true, Shows::Number),
            ast::TypeName::Unsigned => Scalar::new(Basic::Unsigned, 16, false, Shows::Number),
            ast::TypeName::Chan => Scalar::new(Basic::Channel, 8, false, Shows::Channel),
            ast::TypeName::Mtype(_) => Scalar::new(Basic::Symbol, 8, false, Shows::Symbol(symbols?)),
            ast::TypeName::User(_) => return None,
        })
    }

    /// What is stored for an element of an array: single bits are kept in whole bytes there, and are not cut to one
    /// bit.
    pub fn in_array(self) -> Scalar {
        if self.basic == Basic::Bit { Scalar { ty: Type { bits: 8, ..self.ty }, ..self } } else { self }
    }
}

/// Takes a type apart into plain variables, in the order of their declaration.
pub(super) fn leaves(records: &[Record], name: &str, shape: Shape, len: Option<u32>) -> Vec<Leaf> {
    let mut out = Vec::new();
    flatten(records, &Field { name: name.to_string(), shape, len, init: None }, "", &[], &mut out);
    out
}

fn flatten(records: &[Record], field: &Field, prefix: &str, outer: &[u32], out: &mut Vec<Leaf>) {
    let name = format!("{prefix}{}", field.name);
    let mut dims = outer.to_vec();
    dims.extend(field.len);
    match field.shape {
        Shape::Scalar(scalar) => {
            let scalar = if field.len.is_some() { scalar.in_array() } else { scalar };
            out.push(Leaf { name, scalar, dims, init: field.init.clone() });
        }
        Shape::Record(record) => {
            for inner in &records[record].fields {
                flatten(records, inner, &format!("{name}."), &dims, out);
            }
        }
    }
}

/// The number of plain variables of a type.
pub(super) fn leaf_count(records: &[Record], shape: Shape) -> usize {
    match shape {
        Shape::Scalar(_) => 1,
        Shape::Record(record) => records[record].leaves,
    }
}
