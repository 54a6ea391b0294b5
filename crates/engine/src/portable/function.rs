//! Translation of generated functions to C++.
//!
//! A value becomes a local variable, a constant is written where it is used, a block becomes a label, and its parameters are
//! assigned before the jump. Addresses are typed pointers and fields of the context are named, so that a compiler can keep the
//! state under expansion, the new state and the context in registers.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    BlockArg, BlockCall, ExternalName, Function, Inst, InstructionData, Opcode, Type, Value, ValueDef, types,
};

use super::{Unportable, runtime};
use crate::context::Context;

/// What a 64-bit value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Number,
    /// The address of a byte of a state.
    Bytes,
    /// The address of the words of a state.
    Words,
    /// The context.
    Context,
    /// An address in the tables of the context, as a distance from its start.
    Table,
}

/// The fields of the context that hold numbers or addresses, with their kinds.
fn field(offset: usize) -> Option<(&'static str, Kind)> {
    Some(match offset {
        _ if offset == offset_of!(Context, out) => ("out", Kind::Number),
        _ if offset == offset_of!(Context, inner) => ("inner", Kind::Bytes),
        _ if offset == offset_of!(Context, inner_limit) => ("inner_limit", Kind::Bytes),
        _ if offset == offset_of!(Context, inner_start) => ("inner_start", Kind::Bytes),
        _ if offset == offset_of!(Context, pending) => ("pending", Kind::Bytes),
        _ if offset == offset_of!(Context, pending_start) => ("pending_start", Kind::Bytes),
        _ if offset == offset_of!(Context, pending_limit) => ("pending_limit", Kind::Bytes),
        _ if offset == offset_of!(Context, branches) => ("branches", Kind::Number),
        _ if offset == offset_of!(Context, timeout) => ("timeout", Kind::Number),
        _ if offset == offset_of!(Context, ask) => ("ask", Kind::Number),
        _ if offset == offset_of!(Context, urgent) => ("urgent", Kind::Number),
        _ if offset == offset_of!(Context, observed) => ("observed", Kind::Number),
        _ if offset == offset_of!(Context, before) => ("before", Kind::Bytes),
        _ if offset == offset_of!(Context, offer_number) => ("offer_number", Kind::Number),
        _ if offset == offset_of!(Context, offer_fields) => ("offer_fields", Kind::Number),
        _ if offset == offset_of!(Context, half) => ("half", Kind::Bytes),
        _ if offset == offset_of!(Context, half_limit) => ("half_limit", Kind::Bytes),
        _ if offset == offset_of!(Context, scratch) => ("scratch", Kind::Bytes),
        _ if offset == offset_of!(Context, emitted) => ("emitted", Kind::Words),
        _ => return None,
    })
}

/// The element of an array field of the context: its name, its size in bytes and its number.
fn element(offset: usize) -> Option<(&'static str, usize)> {
    let arrays = [
        ("message", offset_of!(Context, message), 4, crate::context::MAX_FIELDS),
        ("words", offset_of!(Context, words), 8, kripke_model::words::MAX_WORDS),
        ("half_words", offset_of!(Context, half_words), 8, kripke_model::words::MAX_WORDS),
    ];
    let at = |(name, start, size, count): (&'static str, usize, usize, usize)| {
        let index = offset.checked_sub(start)? / size;
        (index < count && (offset - start).is_multiple_of(size)).then_some((name, index))
    };
    arrays.into_iter().find_map(at)
}

/// The C++ expression of a field of the context, and its kind.
fn context_field(offset: usize) -> Result<(String, Kind), Unportable> {
    if offset == offset_of!(Context, out_limit) {
        return Ok(("~0ull".to_string(), Kind::Number));
    }
    if let Some((name, kind)) = field(offset) {
        return Ok((format!("c->{name}"), kind));
    }
    if let Some((name, index)) = element(offset) {
        return Ok((format!("c->{name}[{index}]"), Kind::Number));
    }
    Err(Unportable(format!("the field of the context at {offset}")))
}

/// The translation of one function.
pub(super) struct Translation<'a> {
    func: &'a Function,
    /// Numbers of the layouts of channels, by address.
    buffers: &'a HashMap<i64, usize>,
    kinds: HashMap<Value, Kind>,
    /// The declared variables by C++ type.
    declared: BTreeMap<&'static str, Vec<String>>,
    body: String,
}

impl<'a> Translation<'a> {
    /// The text of a function with this name and result.
    pub(super) fn of(func: &'a Function, name: &str, buffers: &'a HashMap<i64, usize>) -> Result<String, Unportable> {
        let (kinds, declared, body) = (HashMap::new(), BTreeMap::new(), String::new());
        let mut this = Translation { func, buffers, kinds, declared, body };
        this.find_kinds();
        this.translate()?;
        let entry = this.func.layout.entry_block().ok_or_else(|| Unportable("an empty function".to_string()))?;
        let params: Vec<String> = this.func.dfg.block_params(entry).iter().map(|p| this.name(*p)).collect();
        let mut text = String::new();
        let _ = writeln!(
            text,
            "template <class Em> {name}(Context<Em>* c, u8* {}, u64 {}, u64 {}) {{",
            params[1], params[2], params[3]
        );
        for (ty, names) in &this.declared {
            let star = if ty.ends_with('*') { "*" } else { "" };
            let names: Vec<String> = names.iter().map(|name| format!("{star}{name}")).collect();
            let _ = writeln!(text, "{} {};", ty.trim_end_matches('*'), names.join(", "));
        }
        text.push_str(&this.body);
        text.push_str("}\n");
        Ok(text)
    }

    fn value(&self, value: Value) -> Value {
        self.func.dfg.resolve_aliases(value)
    }

    fn name(&self, value: Value) -> String {
        format!("v{}", self.value(value).as_u32())
    }

    fn ty(&self, value: Value) -> Type {
        self.func.dfg.value_type(value)
    }

    fn kind(&self, value: Value) -> Kind {
        self.kinds.get(&self.value(value)).copied().unwrap_or(Kind::Number)
    }

    fn constant(&self, value: Value) -> Option<i64> {
        let ValueDef::Result(inst, 0) = self.func.dfg.value_def(self.value(value)) else { return None };
        match self.func.dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// The C++ type of a value.
    fn c_type(&self, value: Value) -> Result<&'static str, Unportable> {
        Ok(match (self.kind(value), self.ty(value)) {
            (Kind::Bytes, _) => "u8*",
            (Kind::Words, _) => "u64*",
            (Kind::Context, _) => return Err(Unportable("a computed address of the context".to_string())),
            (_, types::I8) => "u8",
            (_, types::I16) => "u16",
            (_, types::I32) => "u32",
            (_, types::I64) => "u64",
            (_, types::I8X16) => "V16",
            (_, ty) => return Err(Unportable(format!("the type {ty}"))),
        })
    }

    /// A value as a C++ expression.
    fn text(&self, value: Value) -> String {
        let value = self.value(value);
        match self.constant(value) {
            Some(c) => match self.ty(value) {
                types::I8 => format!("{}u", c as u8),
                types::I16 => format!("{}u", c as u16),
                types::I32 => format!("{}u", c as u32),
                _ => format!("{}ull", c as u64),
            },
            None if self.kind(value) == Kind::Context => "c".to_string(),
            None => self.name(value),
        }
    }

    /// Finds the kinds of values, until nothing changes.
    fn find_kinds(&mut self) {
        let Some(entry) = self.func.layout.entry_block() else { return };
        let params = self.func.dfg.block_params(entry);
        self.kinds.insert(params[0], Kind::Context);
        self.kinds.insert(params[1], Kind::Bytes);
        loop {
            let before = self.kinds.len();
            for block in self.func.layout.blocks() {
                for inst in self.func.layout.block_insts(block) {
                    self.find_kind(inst);
                }
            }
            if self.kinds.len() == before {
                return;
            }
        }
    }

    fn find_kind(&mut self, inst: Inst) {
        let dfg = &self.func.dfg;
        for call in dfg.insts[inst].branch_destination(&dfg.jump_tables, &dfg.exception_tables) {
            self.find_kinds_of_params(call);
        }
        let Some(&result) = dfg.inst_results(inst).first() else { return };
        let kind = match &dfg.insts[inst] {
            InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } if self.kind(*arg) == Kind::Context => {
                context_field(i32::from(*offset) as usize).map_or(Kind::Number, |(_, kind)| kind)
            }
            InstructionData::Binary { opcode: Opcode::Iadd, args: [a, b] } => self.sum_kind(*a, *b),
            InstructionData::Binary { opcode: Opcode::Isub, args: [a, b] } => {
                if self.kind(*b) == Kind::Number {
                    self.kind(*a)
                } else {
                    Kind::Number
                }
            }
            InstructionData::Ternary { opcode: Opcode::Select, args: [_, a, _] } => self.kind(*a),
            _ => Kind::Number,
        };
        if kind != Kind::Number {
            self.kinds.insert(result, kind);
        }
    }

    fn sum_kind(&self, a: Value, b: Value) -> Kind {
        match (self.kind(a), self.kind(b)) {
            (Kind::Context, _) if self.constant(b) == Some(offset_of!(Context, half_words) as i64) => Kind::Words,
            (Kind::Context | Kind::Table, _) | (_, Kind::Context | Kind::Table) => Kind::Table,
            (Kind::Number, kind) | (kind, _) => kind,
        }
    }

    fn find_kinds_of_params(&mut self, call: &BlockCall) {
        let pool = &self.func.dfg.value_lists;
        let params = self.func.dfg.block_params(call.block(pool)).to_vec();
        for (param, arg) in params.into_iter().zip(call.args(pool)) {
            if let BlockArg::Value(arg) = arg
                && self.kind(arg) != Kind::Number
            {
                self.kinds.insert(param, self.kind(arg));
            }
        }
    }

    fn declare(&mut self, value: Value) -> Result<String, Unportable> {
        let (ty, name) = (self.c_type(value)?, self.name(value));
        self.declared.entry(ty).or_default().push(name.clone());
        Ok(name)
    }

    fn translate(&mut self) -> Result<(), Unportable> {
        let func = self.func;
        for (number, block) in func.layout.blocks().enumerate() {
            if number > 0 {
                for param in func.dfg.block_params(block).to_vec() {
                    self.declare(param)?;
                }
                let _ = writeln!(self.body, "b{}:;", block.as_u32());
            }
            for inst in func.layout.block_insts(block) {
                self.instruction(inst)?;
            }
        }
        Ok(())
    }

    fn instruction(&mut self, inst: Inst) -> Result<(), Unportable> {
        let func = self.func;
        match &func.dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, .. } => return Ok(()),
            InstructionData::Jump { destination, .. } => {
                let jump = self.jump(destination)?;
                let _ = writeln!(self.body, "{{ {jump} }}");
            }
            InstructionData::Brif { arg, blocks: [then, or], .. } => {
                let (condition, then, or) = (self.text(*arg), self.jump(then)?, self.jump(or)?);
                let _ = writeln!(self.body, "if ({condition}) {{ {then} }} else {{ {or} }}");
            }
            InstructionData::BranchTable { arg, table, .. } => self.table(*arg, &func.dfg.jump_tables[*table])?,
            InstructionData::MultiAry { opcode: Opcode::Return, args } => {
                let result = self.text(args.as_slice(&func.dfg.value_lists)[0]);
                let _ = writeln!(self.body, "return (int){result};");
            }
            InstructionData::Store { opcode, args: [value, at], offset, .. } => {
                self.store(*opcode, *value, *at, i32::from(*offset))?;
            }
            _ => {
                let expression = self.expression(inst)?;
                let result = func.dfg.inst_results(inst)[0];
                // Nothing is computed for an address of the context that is part of the access.
                if self.kind(result) == Kind::Context {
                    return Ok(());
                }
                let name = self.declare(result)?;
                let _ = writeln!(self.body, "{name} = {expression};");
            }
        }
        Ok(())
    }

    fn table(&mut self, arg: Value, table: &cranelift_codegen::ir::JumpTableData) -> Result<(), Unportable> {
        let _ = writeln!(self.body, "switch ({}) {{", self.text(arg));
        for (number, call) in table.as_slice().iter().enumerate() {
            let jump = self.jump(call)?;
            let _ = writeln!(self.body, "case {number}: {{ {jump} }}");
        }
        let jump = self.jump(&table.default_block())?;
        let _ = writeln!(self.body, "default: {{ {jump} }}\n}}");
        Ok(())
    }

    /// Assigns the parameters of a block, all at once, and goes there.
    fn jump(&self, call: &BlockCall) -> Result<String, Unportable> {
        let pool = &self.func.dfg.value_lists;
        let block = call.block(pool);
        let params = self.func.dfg.block_params(block);
        let (mut read, mut assign) = (String::new(), String::new());
        for (param, arg) in params.iter().zip(call.args(pool)) {
            let BlockArg::Value(arg) = arg else { return Err(Unportable("an exception".to_string())) };
            let (ty, name) = (self.c_type(*param)?, self.name(*param));
            let _ = write!(read, "{ty} n{name} = {}; ", self.text(arg));
            let _ = write!(assign, "{name} = n{name}; ");
        }
        Ok(format!("{read}{assign}goto b{};", block.as_u32()))
    }

    fn store(&mut self, opcode: Opcode, value: Value, at: Value, offset: i32) -> Result<(), Unportable> {
        let (ty, text) = (self.ty(value), self.text(value));
        let line = match self.kind(at) {
            Kind::Context => format!("{} = {text};", context_field(offset as usize)?.0),
            Kind::Words => format!("{}[{}] = {text};", self.text(at), offset / 8),
            Kind::Bytes => {
                let function = match (opcode, ty) {
                    (Opcode::Istore8, _) | (Opcode::Store, types::I8) => "st1",
                    (Opcode::Istore16, _) | (Opcode::Store, types::I16) => "st2",
                    (Opcode::Store, types::I32) => "st4",
                    (Opcode::Store, types::I64) => "st8",
                    (Opcode::Store, types::I8X16) => "stv",
                    _ => return Err(Unportable(format!("{opcode} of {ty}"))),
                };
                format!("{function}({} + {offset}, {text});", self.text(at))
            }
            kind => return Err(Unportable(format!("a store to a {kind:?}"))),
        };
        let _ = writeln!(self.body, "{line}");
        Ok(())
    }

    fn load(&self, inst: Inst, opcode: Opcode, at: Value, offset: i32) -> Result<String, Unportable> {
        let ty = self.ty(self.func.dfg.inst_results(inst)[0]);
        match self.kind(at) {
            Kind::Context => return context_field(offset as usize).map(|(text, _)| text),
            Kind::Words => return Ok(format!("{}[{}]", self.text(at), offset / 8)),
            Kind::Table => return Ok(format!("context_table({} + {offset}ull)", self.text(at))),
            Kind::Bytes => {}
            kind => return Err(Unportable(format!("a load from a {kind:?}"))),
        }
        let at = format!("({} + {offset})", self.text(at));
        Ok(match (opcode, ty) {
            (Opcode::Uload8, _) | (Opcode::Load, types::I8) => format!("ld1{at}"),
            (Opcode::Uload16, _) | (Opcode::Load, types::I16) => format!("ld2{at}"),
            (Opcode::Sload8, types::I32) => format!("(u32)(i32)(i8)ld1{at}"),
            (Opcode::Sload16, types::I32) => format!("(u32)(i32)(i16)ld2{at}"),
            (Opcode::Load, types::I32) => format!("ld4{at}"),
            (Opcode::Load, types::I64) => format!("ld8{at}"),
            (Opcode::Load, types::I8X16) => format!("ldv{at}"),
            _ => return Err(Unportable(format!("{opcode} of {ty}"))),
        })
    }

    /// An instruction with a result.
    fn expression(&self, inst: Inst) -> Result<String, Unportable> {
        let dfg = &self.func.dfg;
        let unknown = |opcode: Opcode| Err(Unportable(format!("the instruction {opcode}")));
        Ok(match &dfg.insts[inst] {
            InstructionData::Load { opcode, arg, offset, .. } => {
                return self.load(inst, *opcode, *arg, i32::from(*offset));
            }
            InstructionData::Binary { opcode, args: [a, b] } => return self.binary(*opcode, *a, *b),
            InstructionData::IntCompare { cond, args: [a, b], .. } => self.compare(*cond, *a, *b),
            InstructionData::Unary { opcode, arg } => {
                let (x, from, to) = (self.text(*arg), self.ty(*arg), self.ty(dfg.inst_results(inst)[0]));
                match opcode {
                    Opcode::Uextend | Opcode::Ireduce => format!("(u{}){x}", to.bits()),
                    Opcode::Sextend => format!("(u{})(i{})(i{}){x}", to.bits(), to.bits(), from.bits()),
                    Opcode::Ineg => format!("(u{})(0u - {x})", to.bits()),
                    Opcode::Bnot => format!("(u{})~{x}", to.bits()),
                    _ => return unknown(*opcode),
                }
            }
            InstructionData::Ternary { opcode: Opcode::Select, args: [condition, a, b] } => {
                format!("{} ? {} : {}", self.text(*condition), self.text(*a), self.text(*b))
            }
            InstructionData::Call { func_ref, args, .. } => {
                let ExternalName::User(name) = dfg.ext_funcs[*func_ref].name else {
                    return Err(Unportable("a call of a library".to_string()));
                };
                let number = self.func.params.user_named_funcs()[name].index;
                let args: Vec<String> = args.as_slice(&dfg.value_lists).iter().map(|a| self.text(*a)).collect();
                format!("(u32)f{number}<Em>({})", args.join(", "))
            }
            InstructionData::CallIndirect { args, .. } => self.call(args.as_slice(&dfg.value_lists))?,
            other => return unknown(other.opcode()),
        })
    }

    /// A call of the runtime: the number of the function, and the arguments.
    fn call(&self, args: &[Value]) -> Result<String, Unportable> {
        let name = self.constant(args[0]).and_then(runtime::name);
        let name = name.ok_or_else(|| Unportable("an operation of the runtime".to_string()))?;
        let mut texts: Vec<String> = args[1..].iter().map(|arg| self.text(*arg)).collect();
        // The question decides about the function that answers it.
        let name = if name == "rt_answer" { runtime::name_of_answer(self.constant(args[3])) } else { name };
        // The layout of a channel is part of the name.
        let layout = args.last().and_then(|arg| self.buffers.get(&self.constant(*arg)?));
        let suffix = match (name, layout) {
            ("rt_insert" | "rt_remove", Some(number)) => {
                texts.pop();
                format!("_{number}")
            }
            _ => String::new(),
        };
        Ok(format!("{name}{suffix}<Em>({})", texts.join(", ")))
    }

    fn compare(&self, cond: IntCC, a: Value, b: Value) -> String {
        let bits = self.ty(a).bits();
        let cast = match (cond, self.kind(a)) {
            (
                IntCC::SignedLessThan
                | IntCC::SignedLessThanOrEqual
                | IntCC::SignedGreaterThan
                | IntCC::SignedGreaterThanOrEqual,
                _,
            ) => format!("(i{bits})"),
            (_, Kind::Number) => format!("(u{bits})"),
            _ => String::new(),
        };
        let operator = match cond {
            IntCC::Equal => "==",
            IntCC::NotEqual => "!=",
            IntCC::SignedLessThan | IntCC::UnsignedLessThan => "<",
            IntCC::SignedLessThanOrEqual | IntCC::UnsignedLessThanOrEqual => "<=",
            IntCC::SignedGreaterThan | IntCC::UnsignedGreaterThan => ">",
            IntCC::SignedGreaterThanOrEqual | IntCC::UnsignedGreaterThanOrEqual => ">=",
        };
        format!("{cast}{} {operator} {cast}{}", self.text(a), self.text(b))
    }

    fn binary(&self, opcode: Opcode, a: Value, b: Value) -> Result<String, Unportable> {
        let (x, y, bits) = (self.text(a), self.text(b), self.ty(a).bits());
        let operator = match opcode {
            Opcode::Iadd | Opcode::Isub => return Ok(self.sum(opcode, a, b)),
            Opcode::Imul => "*",
            Opcode::Band => "&",
            Opcode::Bor => "|",
            Opcode::Bxor => "^",
            Opcode::Ishl => return Ok(format!("(u{bits})((u{bits}){x} << ({y} & {}))", bits - 1)),
            Opcode::Ushr => return Ok(format!("(u{bits})((u{bits}){x} >> ({y} & {}))", bits - 1)),
            Opcode::Sshr => return Ok(format!("(u{bits})((i{bits}){x} >> ({y} & {}))", bits - 1)),
            Opcode::Sdiv if bits == 32 => return Ok(format!("div32({x}, {y})")),
            Opcode::Srem if bits == 32 => return Ok(format!("rem32({x}, {y})")),
            _ => return Err(Unportable(format!("the instruction {opcode}"))),
        };
        Ok(format!("(u{bits})({x} {operator} {y})"))
    }

    /// A sum or difference of numbers or addresses.
    fn sum(&self, opcode: Opcode, a: Value, b: Value) -> String {
        let (x, y, bits) = (self.text(a), self.text(b), self.ty(a).bits());
        let operator = if opcode == Opcode::Iadd { "+" } else { "-" };
        // A negative constant is subtracted from an address.
        let signed = |number: Value, text: String| match self.constant(number) {
            Some(c) => format!("({c}ll)"),
            None => format!("(i64){text}"),
        };
        match (self.kind(a), self.kind(b)) {
            (Kind::Context, _) if self.sum_kind(a, b) == Kind::Words => "c->half_words".to_string(),
            (Kind::Context, _) => y,
            (_, Kind::Context) => x,
            (Kind::Bytes, Kind::Bytes) => format!("(u64)({x} {operator} {y})"),
            (Kind::Bytes, _) => format!("{x} {operator} {}", signed(b, y)),
            (Kind::Number, Kind::Bytes) => format!("{y} {operator} {}", signed(a, x)),
            _ => format!("(u{bits})({x} {operator} {y})"),
        }
    }
}
