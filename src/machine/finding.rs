//! What a run finds: a code, a message, places, and the schedule that shows it again.

use std::fmt;

/// Where in a program something happens. The machine does not know what the number means: whoever runs a program on
/// it resolves places to its own source (PTX: the instruction's index).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub u32);

impl Place {
    /// Something that no instruction did: the host, the launch.
    pub const NONE: Place = Place(u32::MAX);
}

macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal;)*) => {
        /// The kinds of findings. Codes are stable: tools and suppressions name them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = concat!("`", $id, "`: ", $title, ".")] $name,)* }
        impl Code {
            /// All of them, ascending.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];
            /// `TG1001`
            pub fn as_str(self) -> &'static str { match self { $(Code::$name => $id,)* } }
            /// A line.
            pub fn title(self) -> &'static str { match self { $(Code::$name => $title,)* } }
        }
    };
}

codes! {
    Deadlock = "TG1001", "nothing can move";
    Fuel = "TG1002", "the run used up its fuel";
    OverArrival = "TG1003", "more arrivals than the phase has left";
    Lapped = "TG1004", "a phase may pass before a waiter has seen it";
    Bytes = "TG1005", "bytes of a phase do not balance";
    BarrierLife = "TG1006", "a barrier is used outside its life";
    NamedBarrier = "TG1007", "a named barrier is misused";
    ClusterBarrier = "TG1008", "a cluster barrier is misused";
    Race = "TG1009", "two accesses race";
    MissingFence = "TG1010", "a generic write reaches the async proxy without a fence";
    Uninitialised = "TG1011", "memory is read that was never written";
    OutOfBounds = "TG1012", "an access outside every allocation";
    Misaligned = "TG1013", "a misaligned access";
    PeerGone = "TG1014", "the shared memory of a block that may have ended is accessed";
    RegistersInFlight = "TG1015", "registers of an asynchronous operation are touched before it is waited for";
    Divergence = "TG1016", "lanes that have to run an instruction together do not";
    Descriptor = "TG1017", "a descriptor that the hardware does not take";
    TensorMemory = "TG1018", "tensor memory is misused";
    Trap = "TG1019", "the kernel stopped itself";
    Unsupported = "TG1020", "something that the machine does not model";
    InvalidOperand = "TG1021", "an operand outside what the instruction takes";
    ExitInFlight = "TG1022", "a block ends while its asynchronous work is in flight";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place and what happened there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What, with the agent that did it.
    pub text: String,
}

/// Something wrong with the program that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub code: Code,
    /// What was found.
    pub message: String,
    /// Where: the first is the place of the finding itself.
    pub labels: Vec<Label>,
    /// What else is known.
    pub notes: Vec<String>,
    /// The way out.
    pub help: Option<String>,
    /// The cluster in which it happened, by its index in the grid.
    pub cluster: u64,
}

impl Finding {
    /// A finding at a place.
    pub fn new(code: Code, message: impl Into<String>) -> Finding {
        Finding {
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            cluster: 0,
        }
    }

    /// Adds a labelled place.
    pub fn at(mut self, place: Place, text: impl Into<String>) -> Finding {
        self.labels.push(Label { place, text: text.into() });
        self
    }

    /// Adds a note.
    pub fn note(mut self, text: impl Into<String>) -> Finding {
        self.notes.push(text.into());
        self
    }

    /// Says the way out.
    pub fn help(mut self, text: impl Into<String>) -> Finding {
        self.help = Some(text.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}
