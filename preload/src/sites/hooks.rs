//! What compiled code calls. Its registers are its own: the calling convention is "preserve most" (see `hooks.h`), which Rust does not have, so
//! each hook is a few lines of assembly around an ordinary function. They keep a frame, so that stacks can be walked through them.

use super::abi::{Function, Hot, Mode, kind};
use super::live;
use super::policy::{Turn, policy};
use crate::confirm;
use crate::entry::{Looks, block};
use crate::rank::SESSION;
use crate::sampled;
use core::arch::naked_asm;
use thrille_model::{Act, Comb, Kind};
use thrille_runtime::Recorder;
use thrille_runtime::graph::Touch;
use thrille_runtime::quick::{self, LINES, Quick};
use thrille_runtime::runs::Room;

/// A hook: its symbol, its body, where the return address and its place go, and what is done at the end.
macro_rules! hook {
    ($(#[$attribute:meta])? $symbol:ident $body:ident $pc:literal $sp:literal $($end:literal)*) => {
        #[unsafe(naked)]
        $(#[$attribute])?
        unsafe extern "C" fn $symbol() {
            naked_asm!(
                ".cfi_startproc",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "push rcx",
                "push rdx",
                "push rsi",
                "push rdi",
                "push r8",
                "push r9",
                "push r10",
                "and rsp, -16",
                concat!("mov ", $pc, ", qword ptr [rbp + 8]"),
                concat!("lea ", $sp, ", [rbp + 8]"),
                "call {body}",
                "lea rsp, [rbp - 56]",
                "pop r10",
                "pop r9",
                "pop r8",
                "pop rdi",
                "pop rsi",
                "pop rdx",
                "pop rcx",
                "pop rbp",
                ".cfi_def_cfa rsp, 8",
                $($end,)*
                "ret",
                ".cfi_endproc",
                body = sym $body,
            )
        }
    };
}

/// Where [`Quick`] is of this thread: what compiled code asks before it calls a hook.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_quick() {
    naked_asm!("mov rax, qword ptr [rip + thrille_known@GOTTPOFF]", "mov rax, qword ptr fs:[rax]", "ret")
}

/// The most frequent hook asks [`Quick`] first, in the registers that it may use, and two more: `Quick::has` and `Quick::takes`, word for word.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_access() {
    naked_asm!(
        "mov r11, qword ptr [rip + thrille_known@GOTTPOFF]",
        "mov r11, qword ptr fs:[r11]",
        "push rcx",
        "push rdx",
        // The line.
        "mov rax, rdi",
        "shr rax, 6",
        "or rax, qword ptr [r11 + {now}]",
        "mov ecx, edi",
        "shr ecx",
        "and ecx, {last}",
        "lea rdx, [r11 + rcx + {table}]",
        "cmp rax, qword ptr [rdx + {tag}]",
        "jne 3f",
        "inc qword ptr [r11 + {repeated}]",
        // What may be done to it: reads, or writes 8 bytes behind.
        "movzx eax, byte ptr [rsi + 5]",
        "and eax, 2",
        "mov r11, qword ptr [rdx + rax * 4 + {read}]",
        "mov ecx, edi",
        "shr r11, cl",
        "not r11",
        "movzx ecx, word ptr [rsi + 6]",
        // As many ones as there are bytes: the first zero, now a one, is not among them.
        "bsf r11, r11",
        "jz 4f",
        "cmp r11d, ecx",
        "jae 4f",
        // New bytes, of its owner?
        "cmp rsi, qword ptr [rdx + {owner}]",
        "jne 2f",
        "cmp ecx, 64",
        "jae 2f",
        "mov r11d, edi",
        "and r11d, 63",
        "add r11d, ecx",
        "cmp r11d, 64",
        "ja 2f",
        "mov r11d, 1",
        "shl r11, cl",
        "dec r11",
        "mov ecx, edi",
        "shl r11, cl",
        "or qword ptr [rdx + {read}], r11",
        "test eax, eax",
        "jz 4f",
        "or qword ptr [rdx + {read} + 8], r11",
        "4:",
        "mov dword ptr [rsi], 0",
        "lea rax, [rsi + {site}]",
        "pop rdx",
        "pop rcx",
        "ret",
        "2:",
        "mov r11, qword ptr [rip + thrille_known@GOTTPOFF]",
        "mov r11, qword ptr fs:[r11]",
        "dec qword ptr [r11 + {repeated}]",
        "3:",
        "pop rdx",
        "pop rcx",
        // The program will wait for it when it comes back.
        "prefetcht0 byte ptr [rdi]",
        "jmp {told}",
        told = sym thrille_access_told,
        site = const size_of::<Hot>(),
        table = const Quick::TABLE,
        now = const Quick::NOW,
        repeated = const Quick::REPEATED,
        tag = const Quick::TAG,
        read = const Quick::READ,
        owner = const Quick::OWNER,
        last = const (LINES - 1) * 32,
    )
}

/// Loops of few iterations are many: a row without gaps, all of whose bytes the strand has touched before, ends here.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_affine() {
    naked_asm!(
        "movzx eax, word ptr [rsi + 6]",
        "cmp rcx, rax",
        "jne {told}",
        "cmp rdx, {few}",
        "ja {told}",
        "push rdi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "imul rax, rdx",
        "lea r8, [rdi + rax]",
        "mov r11, qword ptr [rip + thrille_known@GOTTPOFF]",
        "mov r11, qword ptr fs:[r11]",
        // As above, a line at a time.
        "2:",
        "mov rax, rdi",
        "shr rax, 6",
        "or rax, qword ptr [r11 + {now}]",
        "mov ecx, edi",
        "shr ecx",
        "and ecx, {last}",
        "lea r9, [r11 + rcx + {table}]",
        "cmp rax, qword ptr [r9 + {tag}]",
        "jne 4f",
        "movzx eax, byte ptr [rsi + 5]",
        "and eax, 2",
        "mov rax, qword ptr [r9 + rax * 4 + {read}]",
        "mov ecx, edi",
        "shr rax, cl",
        "not rax",
        // So many bytes of it: to its end, or to that of the row.
        "and ecx, 63",
        "mov edx, 64",
        "sub edx, ecx",
        "mov r9, r8",
        "sub r9, rdi",
        "cmp r9, rdx",
        "cmovb rdx, r9",
        "bsf rax, rax",
        "jz 3f",
        "cmp rax, rdx",
        "jb 4f",
        "3:",
        "add rdi, rdx",
        "cmp rdi, r8",
        "jb 2b",
        "mov rdx, qword ptr [rsp + 24]",
        "add qword ptr [r11 + {repeated}], rdx",
        "mov dword ptr [rsi], 0",
        "lea rax, [rsi + {site}]",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rdi",
        "ret",
        "4:",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rdi",
        "jmp {told}",
        told = sym thrille_affine_told,
        site = const size_of::<Hot>(),
        few = const 64,
        table = const Quick::TABLE,
        now = const Quick::NOW,
        repeated = const Quick::REPEATED,
        tag = const Quick::TAG,
        read = const Quick::READ,
        last = const (LINES - 1) * 32,
    )
}

/// The hook that has all registers for arguments as it is: return address and place go by the stack.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_nest() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r8",
        "push r9",
        "push r10",
        "and rsp, -16",
        "lea rax, [rbp + 8]",
        "push rax",
        "push qword ptr [rbp + 8]",
        "call {body}",
        "lea rsp, [rbp - 56]",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "mov dword ptr [rsi], eax",
        "lea rax, [rsi + 8]",
        "ret",
        ".cfi_endproc",
        body = sym nest,
    )
}

/// Calls of a function that is looked at end here, while its budget lasts. One that calls nobody runs as it was written while nothing comes of any access: nothing can change that before it returns.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_enter() {
    naked_asm!(
        "cmp dword ptr [rdi + {mode}], {looked_at}",
        "jne {asked}",
        "mov dword ptr [rdi + {countdown}], 0",
        "test byte ptr [rdi + {traits}], {leaf}",
        "jz 2f",
        "mov rax, qword ptr [rip + thrille_known@GOTTPOFF]",
        "mov rax, qword ptr fs:[rax]",
        "cmp byte ptr [rax + {idle}], 0",
        "je 2f",
        "xor eax, eax",
        "ret",
        "2:",
        "mov eax, dword ptr [rdi + {sites}]",
        "sub dword ptr [rdi + {budget}], eax",
        "js {asked}",
        "mov eax, 1",
        "ret",
        asked = sym thrille_enter_asked,
        looked_at = const Mode::In as i32,
        mode = const Function::MODE,
        budget = const Function::BUDGET,
        countdown = const Function::COUNTDOWN,
        traits = const Function::TRAITS.0,
        leaf = const Function::TRAITS.1,
        idle = const Quick::IDLE,
        sites = const Function::SITES,
    )
}

/// And so do iterations of its loops, but for the last ones.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_decide() {
    naked_asm!(
        "cmp dword ptr [rdi + {mode}], {looked_at}",
        "jne {asked}",
        "test esi, esi",
        "js {asked}",
        "movzx eax, si",
        "sub dword ptr [rdi + {budget}], eax",
        "js {asked}",
        "mov eax, 1",
        "ret",
        asked = sym thrille_decide_asked,
        looked_at = const Mode::In as i32,
        mode = const Function::MODE,
        budget = const Function::BUDGET,
    )
}

hook! { thrille_enter_asked enter "rsi" "rdx" }
hook! { thrille_decide_asked decide "rdx" "rcx" }
hook! { #[unsafe(no_mangle)] thrille_spent spent "rsi" "rdx" }
hook! { #[unsafe(no_mangle)] thrille_behind behind "rsi" "rdx" }
// Those that are told of a site set its countdown, and give back the next one.
hook! { thrille_access_told access "rdx" "rcx" "mov dword ptr [rsi], eax" "lea rax, [rsi + 8]" }
hook! { #[unsafe(no_mangle)] thrille_range range "rcx" "r8" "mov dword ptr [rsi], eax" "lea rax, [rsi + 8]" }
hook! { thrille_affine_told affine "r8" "r9" "mov dword ptr [rsi], eax" "lea rax, [rsi + 8]" }

/// What a hook gives back for "ask me again next time".
const AGAIN: i32 = 0;

fn granted(function: &Function, turn: Turn) -> i32 {
    if turn.accesses > 0 {
        function.look(turn.accesses);
        return 1;
    }
    function.set_countdown(turn.calls);
    function.set_mode(if turn.asks { Mode::Ask } else { Mode::Count });
    0
}

extern "C" fn enter(function: &Function, pc: u64, sp: u64) -> i32 {
    if function.is_looked_at() { spent(function, pc, sp) } else { entered(function) }
}

/// A function asks at its entry. Not 0: the instrumented copy.
pub fn entered(function: &Function) -> i32 {
    granted(function, policy().call(function))
}

/// A site of a joined function asks, which counts for itself alone: executions to let pass.
#[inline(never)]
pub fn sampled(address: u64, site: &Hot, bytes: u64, pc: u64, sp: u64) -> i32 {
    told(Row::one(address, bytes), site, pc, sp, |recorder, kind, act, _| recorder.touch(address, bytes, kind, act, pc))
}

extern "C" fn spent(function: &Function, _pc: u64, _sp: u64) -> i32 {
    granted(function, policy().spent(function))
}

/// The last iteration of a loop begins, or one that the budget does not suffice for.
extern "C" fn decide(function: &Function, iteration: u64, pc: u64, sp: u64) -> i32 {
    let (own, number, last) = (iteration as u16, iteration >> 16 & 0x7fff, iteration >> 31 & 1 != 0);
    let accesses = if last { policy().last(function, number) } else { 0 };
    if accesses > 0 {
        function.look(accesses);
        return 1;
    }
    if !function.is_looked_at() {
        return 0;
    }
    // Others were taken off before.
    if function.pays(if last { own.into() } else { 0 }) { 1 } else { spent(function, pc, sp) }
}

extern "C" fn behind(function: &Function, _pc: u64, _sp: u64) -> i32 {
    if function.is_looked_at() {
        return 1;
    }
    let accesses = policy().behind(function);
    if accesses == 0 {
        function.set_mode(Mode::Count);
        return 0;
    }
    function.look(accesses);
    1
}

/// Equally spaced executions of a site.
#[derive(Clone, Copy)]
struct Row {
    address: u64,
    size: u64,
    times: u64,
    step: i64,
}

impl Row {
    fn one(address: u64, size: u64) -> Self {
        Self { address, size, times: 1, step: 0 }
    }

    /// Whether nothing is left out in between.
    fn is_solid(self) -> bool {
        self.step.unsigned_abs() <= self.size
    }

    /// The row after so many such executions.
    fn after(self, executions: u64) -> Self {
        let address = self.address.wrapping_add_signed(self.step.wrapping_mul(executions as i64));
        Self { address, times: self.times - executions, ..self }
    }

    /// The first byte, and how many there are from there to the last.
    fn extent(self) -> (u64, u64) {
        let reach = self.step.unsigned_abs().wrapping_mul(self.times.wrapping_sub(1));
        (if self.step < 0 { self.address.wrapping_sub(reach) } else { self.address }, reach.wrapping_add(self.size))
    }

    fn tell(self, recorder: &mut Recorder, kind: Kind, act: Act, pc: u64) -> Room {
        if self.is_solid() {
            let (first, bytes) = self.extent();
            recorder.executed += self.times.saturating_sub(1);
            return recorder.touch_range(first, bytes, kind, act, pc);
        }
        let (mut left, mut room) = (self, Room::Enough);
        while left.times > 0 {
            let (taken, filled) = recorder.touch_row(left.address, left.size, left.times, left.step, kind, act, pc);
            if filled == Room::Full {
                room = Room::Full;
                if let Some(session) = SESSION.get() {
                    session.drain(recorder);
                }
            }
            left = left.after(taken);
        }
        room
    }

    /// Of a long row of separate places, a part is what a sample can afford: where it begins, and how many executions it has.
    fn part(self, part: Option<(u64, u64)>) -> Self {
        match part {
            Some((first, most)) if self.times > most && !self.is_solid() => {
                Self { times: most, ..self.after(first.min(self.times - most)) }
            }
            _ => self,
        }
    }
}

/// Such rows, the first of which begins at its address.
#[derive(Clone, Copy)]
struct Rows {
    row: Row,
    count: u64,
    pitch: i64,
}

impl From<Row> for Rows {
    fn from(row: Row) -> Self {
        Self { row, count: 1, pitch: 0 }
    }
}

/// In a run that confirms races: waits before what the site does, a row at a time.
#[cold]
#[inline(never)]
fn stand(rows: Rows, site: &Hot, pc: u64) {
    let Rows { mut row, count, pitch } = rows;
    let library = site.kind & kind::LIBRARY != 0;
    for _ in 0..count {
        let (first, len) = row.extent();
        let comb = Comb::new(first, row.step.unsigned_abs(), row.size, row.times).map_or(Comb::SOLID, |(_, comb)| comb);
        for (bit, kind, act) in [(kind::READ, Kind::Read, Act::Load), (kind::WRITE, Kind::Write, Act::Store)] {
            if site.kind & bit != 0 {
                confirm::hook(first, len, comb, kind, if library { Act::LibraryCall } else { act }, pc);
            }
        }
        row.address = row.address.wrapping_add_signed(pitch);
    }
}

/// Tells the recorder, if the policy wants it: `tell` is called for each kind of access that the site makes.
#[inline(always)]
fn told(
    rows: impl Into<Rows>,
    site: &Hot,
    pc: u64,
    sp: u64,
    tell: impl Fn(&mut Recorder, Kind, Act, Option<(u64, u64)>) -> Room,
) -> i32 {
    let block = block();
    // SAFETY: the block is this thread's own; the recorder lives until the thread is detached; depth 0 means that nobody else in this
    // thread uses it now.
    let recorder = unsafe {
        if (*block).recorder.is_null() || (*block).depth > 0 {
            return AGAIN;
        }
        ((*block).pc, (*block).sp) = (pc, sp);
        if (*block).looks == Looks::Confirms {
            if confirm::waits_at(pc) {
                stand(rows.into(), site, pc);
            }
            return live::gap(site, pc);
        }
        &mut *(*block).recorder
    };
    if quick::is_allowed() {
        keep(recorder, site, None, tell);
        return AGAIN;
    }
    let Rows { row: Row { address, times, .. }, count, .. } = rows.into();
    let from = sampled::clock();
    let verdict = policy().site(site, pc, times.saturating_mul(count), &mut || !recorder.is_private(address, 1));
    if verdict.keep {
        keep(recorder, site, verdict.part, tell);
    }
    if let Some(from) = from {
        let spent = sampled::ticks().wrapping_sub(from) + sampled::telling_ticks();
        policy().cost(spent, sampled::worked(), verdict.keep);
    }
    i32::try_from(verdict.gap).unwrap_or(i32::MAX)
}

/// Tells the recorder.
#[inline(always)]
fn keep(
    recorder: &mut Recorder,
    site: &Hot,
    part: Option<(u64, u64)>,
    tell: impl Fn(&mut Recorder, Kind, Act, Option<(u64, u64)>) -> Room,
) {
    let act = |act| if site.kind & kind::LIBRARY != 0 { Act::LibraryCall } else { act };
    let mut full = false;
    // One after the other: a loop over both would go through memory.
    if site.kind & kind::READ != 0 {
        full |= tell(recorder, Kind::Read, act(Act::Load), part) == Room::Full;
    }
    if site.kind & kind::WRITE != 0 {
        full |= tell(recorder, Kind::Write, act(Act::Store), part) == Room::Full;
    }
    if full {
        drain();
    }
}

/// There is no room for more.
#[cold]
fn drain() {
    if let (Some(session), Some(observed)) = (SESSION.get(), crate::rank::observe()) {
        session.drain(observed.recorder);
    }
}

const COPIED: u8 = kind::READ | kind::LIBRARY;
const FILLED: u8 = kind::WRITE | kind::LIBRARY;

/// What a site that only loads or only stores does.
#[inline(always)]
fn plain(kind: u8) -> Option<(Touch, Act)> {
    match kind {
        kind::READ => Some((Touch::Read, Act::Load)),
        kind::WRITE => Some((Touch::Write, Act::Store)),
        COPIED => Some((Touch::Read, Act::LibraryCall)),
        FILLED => Some((Touch::Write, Act::LibraryCall)),
        _ => None,
    }
}

extern "C" fn access(address: u64, site: &Hot, pc: u64, sp: u64) -> i32 {
    let Some((touch, act)) = plain(site.kind) else { return access_told(address, site, pc, sp) };
    let block = block();
    // SAFETY: as above.
    unsafe {
        if !(*block).recorder.is_null() && (*block).depth == 0 && quick::is_allowed() {
            ((*block).pc, (*block).sp) = (pc, sp);
            if (*(*block).recorder).touch_on(address, u64::from(site.size), touch, act, pc, (&raw const *site) as u64) {
                return AGAIN;
            }
        }
    }
    access_told(address, site, pc, sp)
}

/// Of its own, so that what comes first needs little stack.
#[inline(never)]
extern "C" fn access_told(address: u64, site: &Hot, pc: u64, sp: u64) -> i32 {
    let size = u64::from(site.size);
    told(Row::one(address, size), site, pc, sp, |recorder, kind, act, _| recorder.touch(address, size, kind, act, pc))
}

extern "C" fn range(address: u64, site: &Hot, bytes: u64, pc: u64, sp: u64) -> i32 {
    told(Row::one(address, bytes), site, pc, sp, |recorder, kind, act, _| {
        recorder.touch_range(address, bytes, kind, act, pc)
    })
}

extern "C" fn affine(address: u64, site: &Hot, times: u64, step: i64, pc: u64, sp: u64) -> i32 {
    let row = Row { address, size: u64::from(site.size), times, step };
    if let (true, Some((touch, act))) = (row.is_solid(), plain(site.kind)) {
        let (block, (first, bytes)) = (block(), row.extent());
        // SAFETY: as above.
        unsafe {
            if !(*block).recorder.is_null() && (*block).depth == 0 && quick::is_allowed() {
                ((*block).pc, (*block).sp) = (pc, sp);
                match (*(*block).recorder).touch_row_on(first, bytes, times, touch, act, pc) {
                    Some(Room::Enough) => return AGAIN,
                    Some(Room::Full) => {
                        drain();
                        return AGAIN;
                    }
                    None => {}
                }
            }
        }
    }
    told(row, site, pc, sp, |recorder, kind, act, part| row.part(part).tell(recorder, kind, act, pc))
}

#[allow(clippy::too_many_arguments, reason = "as compiled code has them")]
extern "C" fn nest(address: u64, site: &Hot, times: u64, step: i64, rows: u64, pitch: i64, pc: u64, sp: u64) -> i32 {
    let size = u64::from(site.size);
    let (mut row, mut column) = (Row { address, size, times, step }, Row { address, size, times: rows, step: pitch });
    if !row.is_solid() && column.is_solid() {
        // Columns of a matrix, one after the other, are its rows.
        std::mem::swap(&mut row, &mut column);
    }
    let all = times.saturating_mul(rows);
    let rows = Rows { row, count: column.times, pitch: column.step };
    told(rows, site, pc, sp, |recorder, kind, act, part| {
        let (mut column, mut room) = (column, Room::Enough);
        if row.is_solid() {
            let (first, bytes) = row.extent();
            if column.step.unsigned_abs() <= bytes {
                // Rows without anything in between.
                recorder.executed += all - column.times;
                return Row { address: first, size: bytes, ..column }.tell(recorder, kind, act, pc);
            }
        } else if let Some((first, most)) = part.filter(|_| row.times > 0) {
            // A sample takes a few rows, and a part of each.
            let (skipped, taken) = (first / row.times, most.div_ceil(row.times));
            column = column.after(skipped.min(column.times.saturating_sub(taken)));
            column.times = column.times.min(taken);
        }
        while column.times > 0 {
            let one = Row { address: column.address, ..row };
            if one.part(part.map(|(first, most)| (first % row.times.max(1), most))).tell(recorder, kind, act, pc)
                == Room::Full
            {
                room = Room::Full;
                if let Some(session) = SESSION.get() {
                    session.drain(recorder);
                }
            }
            column = column.after(1);
        }
        room
    })
}
