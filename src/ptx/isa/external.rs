//! Functions that are not in the module but in the system: `vprintf`, `__assertfail` (CUDA C programming guide,
//! "formatted output", "assertion"), and `malloc` and `free` of a device whose heap is always full ("dynamic global
//! memory allocation": `malloc` returns null then, and a kernel has to expect it).

use super::call::Call;
use super::printf::{Argument, format};
use crate::env::{LOCAL_WINDOW, PARAM_WINDOW};
use crate::exec::{Exec, Flow};
use crate::regs::lanes_of;
use tidegate_machine::access::Address;
use tidegate_machine::finding::{Code, Finding};
use tidegate_machine::hardware::Stop;
use tidegate_machine::memory::SHARED_WINDOW;
use tidegate_machine::shadow::Nature;

/// Strings longer than this are cut.
const MAX_STRING: u64 = 64 << 10;

/// Runs an external function for the lanes that call it.
pub(super) fn call(call: &Call, name: &str, x: &mut Exec<'_>) -> Result<Flow, Stop> {
    match name {
        "vprintf" => {
            for lane in lanes_of(x.lanes) {
                print(call, x, lane)?;
            }
            Ok(Flow::Next)
        }
        "__assertfail" => {
            let lane = x.lanes.trailing_zeros() as usize & 31;
            let text = |x: &mut Exec<'_>, index: usize| {
                let at = call.argument(x, index, lane);
                string(x, lane, at).map(|s| String::from_utf8_lossy(&s).into_owned())
            };
            let (condition, file, function) = (text(x, 0)?, text(x, 1)?, text(x, 3)?);
            let line = call.argument(x, 2, lane) as u32;
            let who = x.hw.who(x.agent, x.lanes);
            let message = format!("{who} fails the assertion `{condition}` at {file}:{line} in {function}");
            let place = x.place;
            x.hw.fail(Finding::new(Code::Trap, message).at(place, "called here"))
        }
        // A heap of no bytes (`cudaLimitMallocHeapSize`): `malloc` returns null, as it does on a full one.
        "malloc" => {
            for lane in lanes_of(x.lanes) {
                call.set_result(x, lane, 0);
            }
            Ok(Flow::Next)
        }
        "free" => {
            for lane in lanes_of(x.lanes) {
                let at = call.argument(x, 0, lane);
                if at != 0 {
                    let message = format!("`free` of {at:#x}, which `malloc` did not return");
                    return x.fail(Code::InvalidOperand, message);
                }
            }
            Ok(Flow::Next)
        }
        _ => x.fail(
            Code::Unsupported,
            format!("a call of `{name}`, which is external and of no known library"),
        ),
    }
}

/// Bytes at a generic address of a lane.
fn bytes(x: &mut Exec<'_>, lane: usize, at: u64, out: &mut [u8]) -> Result<(), Stop> {
    let window = at >> 32;
    let inner = at & 0xffff_ffff;
    if window == LOCAL_WINDOW >> 32 {
        let range = super::memory::exec::local_range(x, lane, inner, out.len(), false)?;
        let from = super::memory::exec::local(x, lane, range.end).get(range);
        out.copy_from_slice(from.unwrap_or_default());
        return Ok(());
    }
    if window == PARAM_WINDOW >> 32 {
        let from = x.env.launch.params.get(inner as usize..inner as usize + out.len());
        return match from {
            Some(from) => {
                out.copy_from_slice(from);
                Ok(())
            }
            None => x.fail(Code::OutOfBounds, format!("byte {inner} is beyond the kernel's parameters")),
        };
    }
    for (i, byte) in out.iter_mut().enumerate() {
        let address = match window == SHARED_WINDOW >> 32 {
            true => Address::Shared((inner + i as u64) as u32),
            false => Address::Global(at + i as u64),
        };
        let actor = x.lane(lane);
        x.hw.load(actor, address, std::slice::from_mut(byte), Nature::Generic)?;
    }
    Ok(())
}

/// A string that ends with a zero.
fn string(x: &mut Exec<'_>, lane: usize, at: u64) -> Result<Vec<u8>, Stop> {
    let mut out = Vec::new();
    if at == 0 {
        return Ok(b"(null)".to_vec());
    }
    for i in 0..MAX_STRING {
        let mut byte = [0];
        bytes(x, lane, at + i, &mut byte)?;
        if byte[0] == 0 {
            break;
        }
        out.push(byte[0]);
    }
    Ok(out)
}

fn print(call: &Call, x: &mut Exec<'_>, lane: usize) -> Result<(), Stop> {
    let (template, mut next) = (call.argument(x, 0, lane), call.argument(x, 1, lane));
    if template == 0 {
        call.set_result(x, lane, u64::from(u32::MAX));
        return Ok(());
    }
    let template = string(x, lane, template)?;
    let mut out = Vec::new();
    let mut count = 0;
    format(&template, &mut out, &mut |wanted| {
        count += 1;
        let len = match wanted {
            Argument::Word => 4,
            Argument::Long | Argument::Double | Argument::String => 8,
        };
        // Each argument lies at a multiple of its size.
        next = next.next_multiple_of(len);
        let mut value = [0; 8];
        bytes(x, lane, next, &mut value[..len as usize])?;
        next += len;
        let value = u64::from_le_bytes(value);
        let text = if wanted == Argument::String { string(x, lane, value)? } else { Vec::new() };
        Ok((value, text))
    })?;
    let launch = &x.env.launch;
    launch.output.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend_from_slice(&out);
    call.set_result(x, lane, count);
    Ok(())
}
