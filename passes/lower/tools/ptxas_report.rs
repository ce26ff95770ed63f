//! Reads what `ptxas -v` prints: errors with their PTX line, warnings, notes, and the resources of each kernel.

use std::fmt;

/// How bad a message of `ptxas` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageKind {
    /// `info`, other than the resource report.
    Info,
    /// A warning.
    Warning,
    /// An error: no cubin.
    Error,
    /// The last word before it gives up.
    Fatal,
}

/// One message of `ptxas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxasMessage {
    /// How bad.
    pub kind: MessageKind,
    /// The line of the PTX, from 1, where it names one.
    pub line: Option<u32>,
    /// The code in brackets, such as `C7514`, where there is one.
    pub code: Option<String>,
    /// What it says.
    pub text: String,
}

impl PtxasMessage {
    /// Is this a note that `ptxas` serialised asynchronous tensor-core instructions, or put waits among them? The
    /// kernel then computes the right thing slowly, or reads an accumulator early: never what was meant.
    pub fn is_serialisation(&self) -> bool {
        let number = self.code.as_deref().and_then(|code| code.strip_prefix('C')?.parse::<u32>().ok());
        number.is_some_and(|number| (7510..=7519).contains(&number))
    }
}

impl fmt::Display for PtxasMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "PTX line {line}: ")?;
        }
        if let Some(code) = &self.code {
            write!(f, "({code}) ")?;
        }
        f.write_str(&self.text)
    }
}

/// What a kernel takes of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// The kernel.
    pub kernel: String,
    /// Registers of a lane.
    pub registers: u32,
    /// Named barriers of a block, barrier 0 included.
    pub named_barriers: u32,
    /// Static shared memory in bytes.
    pub static_smem: u32,
    /// Stack frame of a lane in bytes.
    pub stack: u32,
    /// Bytes stored by spills.
    pub spill_stores: u32,
    /// Bytes loaded by spills.
    pub spill_loads: u32,
}

/// All that `ptxas` printed, taken apart.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) messages: Vec<PtxasMessage>,
    pub(super) kernels: Vec<KernelResources>,
}

/// The first errors in one line.
pub(super) fn summary(messages: &[PtxasMessage]) -> String {
    let worst = messages.iter().map(|message| message.kind).filter(|kind| *kind != MessageKind::Fatal).max();
    let texts: Vec<_> = messages
        .iter()
        .filter(|message| Some(message.kind) == worst || worst.is_none())
        .map(PtxasMessage::to_string)
        .collect();
    match texts.as_slice() {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}; {second}; {third}; and {} more", rest.len())
        }
        all => all.join("; "),
    }
}

/// Reads the output of `ptxas -v`.
pub(super) fn parse(output: &str) -> Report {
    let mut report = Report::default();
    for line in output.lines() {
        let line = line.trim();
        if !resources(line, &mut report.kernels)
            && let Some(message) = message(line)
        {
            report.messages.push(message);
        }
    }
    report
}

/// Takes `line` if it is part of the report on resources.
fn resources(line: &str, kernels: &mut Vec<KernelResources>) -> bool {
    if let Some((_, rest)) = line.split_once("Compiling entry function '") {
        let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
        kernels.push(KernelResources { kernel, ..Default::default() });
        return true;
    }
    if let Some((_, used)) = line.split_once(": Used ") {
        let used = format!("used {used}");
        if let Some(kernel) = kernels.last_mut() {
            for part in used.split(", ") {
                let words: Vec<_> = part.split_whitespace().collect();
                match words.as_slice() {
                    ["used", count, "registers"] => kernel.registers = number(count),
                    ["used", count, "barriers"] => kernel.named_barriers = number(count),
                    [count, "bytes", "smem"] => kernel.static_smem = number(count),
                    _ => {}
                }
            }
        }
        return true;
    }
    if line.ends_with("bytes spill loads") {
        if let Some(kernel) = kernels.last_mut() {
            for part in line.split(", ") {
                let words: Vec<_> = part.split_whitespace().collect();
                match words.as_slice() {
                    [count, "bytes", "stack", "frame"] => kernel.stack = number(count),
                    [count, "bytes", "spill", "stores"] => kernel.spill_stores = number(count),
                    [count, "bytes", "spill", "loads"] => kernel.spill_loads = number(count),
                    _ => {}
                }
            }
        }
        return true;
    }
    ["Function properties for", "bytes gmem", "Compile time ="].iter().any(|chatter| line.contains(chatter))
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_default()
}

/// `ptxas FILE, line 38; error   : TEXT`, `ptxas info    : (C7514) TEXT`, `ptxas fatal   : TEXT`.
fn message(line: &str) -> Option<PtxasMessage> {
    let rest = line.strip_prefix("ptxas ")?;
    let (head, text) = rest.split_once(" : ").or_else(|| rest.split_once(": "))?;
    let (place, word) = head.rsplit_once("; ").unwrap_or(("", head));
    let kind = match word.trim() {
        "info" => MessageKind::Info,
        "warning" => MessageKind::Warning,
        "error" => MessageKind::Error,
        "fatal" => MessageKind::Fatal,
        _ => return None,
    };
    let line = place.rsplit_once("line ").and_then(|(_, number)| number.trim().parse().ok());
    let text = text.trim();
    let (code, text) = match text.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((code, rest)) if code.starts_with('C') => (Some(code.to_owned()), rest),
        _ => (None, text),
    };
    Some(PtxasMessage { kind, line, code, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_resources_of_each_kernel() {
        let report = parse(
            "ptxas info    : 0 bytes gmem\n\
             ptxas info    : Compiling entry function 'first' for 'sm_90a'\n\
             ptxas info    : Function properties for first\n    \
                 8 bytes stack frame, 32 bytes spill stores, 36 bytes spill loads\n\
             ptxas info    : Used 168 registers, used 2 barriers, 8 bytes cumulative stack size, 128 bytes smem\n\
             ptxas info    : Compile time = 19.615 ms\n\
             ptxas info    : Compiling entry function 'second' for 'sm_90a'\n\
             ptxas info    : Function properties for second\n    \
                 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
             ptxas info    : Used 8 registers, used 0 barriers\n",
        );
        let first = KernelResources {
            kernel: "first".into(),
            registers: 168,
            named_barriers: 2,
            static_smem: 128,
            stack: 8,
            spill_stores: 32,
            spill_loads: 36,
        };
        let second = KernelResources { kernel: "second".into(), registers: 8, ..Default::default() };
        assert_eq!(report.kernels, [first, second]);
        assert_eq!(report.messages, []);
    }

    #[test]
    fn reads_errors_with_their_line() {
        let report = parse(
            "ptxas /tmp/a b.ptx, line 38; error   : Unknown modifier '.inxt'\n\
             ptxas /tmp/a b.ptx, line 7; warning : Something: odd\n\
             ptxas fatal   : Ptx assembly aborted due to errors\n",
        );
        let kinds: Vec<_> = report.messages.iter().map(|message| (message.kind, message.line)).collect();
        assert_eq!(
            kinds,
            [(MessageKind::Error, Some(38)), (MessageKind::Warning, Some(7)), (MessageKind::Fatal, None)]
        );
        assert_eq!(report.messages[1].text, "Something: odd");
        assert_eq!(summary(&report.messages), "PTX line 38: Unknown modifier '.inxt'");
    }

    #[test]
    fn knows_the_notes_on_serialised_tensor_core_instructions() {
        let report = parse(
            "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to \
             insufficient register resources in function 'k'\n\
             ptxas info    : (C7502) Something harmless\n",
        );
        assert_eq!(report.messages[0].code.as_deref(), Some("C7514"));
        let serialised: Vec<_> = report.messages.iter().map(PtxasMessage::is_serialisation).collect();
        assert_eq!(serialised, [true, false]);
    }
}
