//! Memory that holds code, and calls into it: everything unsafe.

#![expect(
    unsafe_code,
    reason = "compiled code is entered through pointers; the invariants are kept here"
)]

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, default_libcall_names};
use sweepline_core::{ActionId, Word};

use super::CompileError;
use crate::ir::ArrayId;
use crate::lower::Elements;

/// Finished code and the tables it reads.
struct Code {
    /// Asked for addresses when it is new and taken when it is dropped. The lock is what lets threads share the code.
    module: Mutex<Option<JITModule>>,
    /// The code has the addresses of these tables in it.
    _tables: Tables,
}

/// Where the elements of arrays lie, for computed indices: six bits of shift below the number of the word.
///
/// The tables do not move when more are added.
#[derive(Default)]
pub(super) struct Tables(HashMap<ArrayId, Box<[u32]>>);

impl Tables {
    /// The address of the table of an array.
    pub(super) fn address_of(&mut self, elements: &Elements) -> usize {
        let table = self.0.entry(elements.id).or_insert_with(|| {
            let fields = elements.fields.iter();
            fields
                .map(|field| (field.word << 6) | field.shift)
                .collect()
        });
        // Compiled code reads it through this address, outside the rules of borrowing.
        table.as_ptr().expose_provenance()
    }
}

impl Code {
    /// The address of a function.
    fn function(&self, function: FuncId) -> *const u8 {
        let module = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        let module = module.as_ref();
        let module = module.expect("the module is there until it is dropped");
        module.get_finalized_function(function)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let module = self.module.get_mut();
        if let Some(module) = module.unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: `Successors`, `ConditionsCode` and `MeasureCode` own the code and are the only ones that call it, always
            // while they are borrowed; so no call is under way and none will come.
            unsafe { module.free_memory() }
        }
    }
}

/// A module that makes code for this machine.
pub(super) fn new_module() -> Result<JITModule, CompileError> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) {
        "true"
    } else {
        "false"
    };
    for (flag, value) in [
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("opt_level", "speed"),
        ("enable_verifier", verify),
    ] {
        let set = flags.set(flag, value);
        set.map_err(|error| CompileError::Machine(error.to_string()))?;
    }
    let machine =
        cranelift_native::builder().map_err(|error| CompileError::Machine(error.into()))?;
    let machine = machine.finish(settings::Flags::new(flags));
    let machine = machine.map_err(|error| CompileError::Machine(error.to_string()))?;
    let builder = JITBuilder::with_isa(machine, default_libcall_names());
    Ok(JITModule::new(builder))
}

type SuccessorFunction = unsafe extern "C" fn(*const Word, *mut Word, *mut u32) -> i64;
type MeasureFunction = unsafe extern "C" fn(*const Word, *mut i64) -> i64;

/// A compiled successor function.
pub(super) struct Successors {
    entry: SuccessorFunction,
    width: usize,
    /// The most steps it writes.
    room: usize,
    _code: Code,
}

impl Successors {
    /// Takes over a finished module.
    ///
    /// `function` must take a state of `width` words, a buffer for `room` states, and one for as many actions. It must
    /// write no more than that many, and return how many it wrote or a negative number.
    pub(super) fn new(
        module: JITModule,
        tables: Tables,
        function: FuncId,
        width: usize,
        room: usize,
    ) -> Self {
        let code = Code {
            module: Mutex::new(Some(module)),
            _tables: tables,
        };
        let address = code.function(function);
        // SAFETY: `function` was compiled with this signature and the calling convention of C; `functions` sees to it.
        // The code lives as long as `self`.
        let entry = unsafe { std::mem::transmute::<*const u8, SuccessorFunction>(address) };
        Self {
            entry,
            width,
            room,
            _code: code,
        }
    }

    /// Writes the steps of a state and returns how many there are, or nothing if it gave up.
    ///
    /// # Panics
    /// If the state or the buffers are too small.
    #[inline]
    pub(super) fn call(
        &self,
        state: &[Word],
        targets: &mut [Word],
        actions: &mut [ActionId],
    ) -> Option<usize> {
        assert_eq!(state.len(), self.width, "a state of this program");
        assert!(targets.len() >= self.width * self.room, "room for targets");
        assert!(actions.len() >= self.room, "room for actions");
        let (targets, actions) = (targets.as_mut_ptr(), actions.as_mut_ptr().cast());
        // SAFETY: `ActionId` is transparent, so a pointer to it is one to its number. The code reads only within the
        // state and the tables: places of slots lie in the state, whose width was checked, and computed indices are
        // compared with the length of their array unless no bits of the state make them larger (`Lowering::values` goes
        // by what fields can hold, not by what they do hold). It writes only within the buffers, whose sizes were
        // checked: at most one record per action that starts at the present locations, and no more than `room` do.
        // It divides only by numbers that were compared with 0 or cannot be 0, again whatever the bits are.
        let count = unsafe { (self.entry)(state.as_ptr(), targets, actions) };
        usize::try_from(count).ok()
    }
}

/// Compiled conditions.
pub(super) struct ConditionsCode {
    entry: MeasureFunction,
    width: usize,
    /// The most words it writes.
    room: usize,
    _code: Code,
}

impl ConditionsCode {
    /// Takes over a finished module.
    ///
    /// `function` must take a state of `width` words and a buffer for `room` words, and write no more than that.
    pub(super) fn new(
        module: JITModule,
        tables: Tables,
        function: FuncId,
        width: usize,
        room: usize,
    ) -> Self {
        let code = Code {
            module: Mutex::new(Some(module)),
            _tables: tables,
        };
        let address = code.function(function);
        // SAFETY: as for `Successors`.
        let entry = unsafe { std::mem::transmute::<*const u8, MeasureFunction>(address) };
        Self {
            entry,
            width,
            room,
            _code: code,
        }
    }

    /// Writes what holds.
    ///
    /// # Panics
    /// If the state or the buffer is too small.
    #[inline]
    pub(super) fn call(&self, state: &[Word], truths: &mut [Word]) {
        assert_eq!(state.len(), self.width, "a state of this program");
        assert!(truths.len() >= self.room, "room for what holds");
        // SAFETY: the code reads within the state, whose width was checked, and writes whole words within the buffer, whose
        // size was checked; see `Successors::call`. A signed word has the size and alignment of one without a sign.
        let _ = unsafe { (self.entry)(state.as_ptr(), truths.as_mut_ptr().cast()) };
    }
}

/// A compiled expression.
pub(super) struct MeasureCode {
    entry: MeasureFunction,
    width: usize,
    _code: Code,
}

impl MeasureCode {
    /// Takes over a finished module.
    ///
    /// `function` must take a state of `width` words and a place for the value. It must return a negative number if
    /// there is no value.
    pub(super) fn new(module: JITModule, tables: Tables, function: FuncId, width: usize) -> Self {
        let code = Code {
            module: Mutex::new(Some(module)),
            _tables: tables,
        };
        let address = code.function(function);
        // SAFETY: as for `Successors`.
        let entry = unsafe { std::mem::transmute::<*const u8, MeasureFunction>(address) };
        Self {
            entry,
            width,
            _code: code,
        }
    }

    /// The value, or nothing if it gave up.
    #[inline]
    pub(super) fn call(&self, state: &[Word]) -> Option<i64> {
        assert_eq!(state.len(), self.width, "a state of this program");
        let mut value = 0;
        // SAFETY: the code reads within the state, whose width was checked, and writes the value; see
        // `Successors::call`.
        let status = unsafe { (self.entry)(state.as_ptr(), &raw mut value) };
        (status >= 0).then_some(value)
    }
}
