//! Types: what the user defined, and how each is stored.

use kripke_model::ir::{EnumId, Shows, Type};

use super::Lowering;

/// Index into the table of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TypeId(pub usize);

/// `BOOLEAN` is always there.
pub(super) const BOOLEAN: TypeId = TypeId(0);

#[derive(Clone, Debug)]
pub(super) struct TypeInfo {
    pub name: String,
    pub kind: Kind,
    /// The number of scalars of a value.
    pub words: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Boolean,
    Subrange { low: i32, high: i32 },
    Enumeration(EnumId),
    Array { size: u32, of: TypeId },
    List { size: u32, of: TypeId },
    Tuple(Vec<(String, TypeId)>),
    Alphabet(Alphabet),
}

/// Messages: a symbol for the signal, then the data, as many words as the longest message has.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    pub signals: Vec<(String, Option<TypeId>)>,
    pub fields: Vec<Type>,
}

/// The type of an expression. All subranges are one: their values may be mixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Integer,
    Boolean,
    /// An enumeration, tuple, array or list: equal only to itself.
    Defined(TypeId),
}

impl Lowering<'_> {
    pub(super) fn info(&self, id: TypeId) -> &TypeInfo {
        &self.types[id.0]
    }

    /// The type of a value that is stored as `id`.
    pub(super) fn ty(&self, id: TypeId) -> Ty {
        match self.info(id).kind {
            Kind::Boolean => Ty::Boolean,
            Kind::Subrange { .. } => Ty::Integer,
            _ => Ty::Defined(id),
        }
    }

    /// For messages: `an integer`, `a BOOLEAN`, `a procqueue`.
    pub(super) fn called(&self, ty: Ty) -> String {
        match ty {
            Ty::Integer => "an integer".into(),
            Ty::Boolean => "BOOLEAN".into(),
            Ty::Defined(id) => format!("of type `{}`", self.info(id).name),
        }
    }

    /// Whether a value is one word.
    pub(super) fn is_scalar(&self, ty: Ty) -> bool {
        match ty {
            Ty::Integer | Ty::Boolean => true,
            Ty::Defined(id) => matches!(self.info(id).kind, Kind::Enumeration(_)),
        }
    }

    /// The type of a word of this type in the model, and its range.
    pub(super) fn word(&self, id: TypeId) -> (Type, (i32, i32)) {
        match self.info(id).kind {
            Kind::Boolean => (Type { bits: 1, signed: false, shows: Shows::Bool }, (0, 1)),
            Kind::Subrange { low, high } => (number(low, high), (low, high)),
            Kind::Enumeration(id) => {
                let high = self.enums[id.index()].symbols.len() as i32 - 1;
                (Type { shows: Shows::Symbol(id), ..number(0, high) }, (0, high))
            }
            _ => (Type::number(32, true), (i32::MIN, i32::MAX)),
        }
    }
}

/// The smallest type that holds the values from `low` to `high`.
pub(super) fn number(low: i32, high: i32) -> Type {
    let signed = low < 0;
    let magnitude = |v: i32| 32 - if v < 0 { (!v).leading_zeros() } else { v.leading_zeros() };
    let bits = magnitude(low).max(magnitude(high)) + u32::from(signed);
    Type::number(bits.clamp(1, 32) as u8, signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_as_small_as_can_be() {
        for (low, high, bits, signed) in [
            (0, 0, 1, false),
            (0, 1, 1, false),
            (0, 7, 3, false),
            (0, 8, 4, false),
            (-1, 0, 1, true),
            (-8, 7, 4, true),
            (-9, 7, 5, true),
            (5, i32::MAX, 31, false),
            (i32::MIN, 0, 32, true),
        ] {
            assert_eq!(number(low, high), Type::number(bits, signed), "{low}..{high}");
        }
    }
}
