//! Loading a module and launching a kernel of it: from Rust.
//!
//! A [`Device`] holds global memory. [`Device::load`] places a module's variables in it, [`Device::allocate`] makes
//! buffers, and [`Device::launch`] runs a kernel on them.

use crate::ast::Space;
use crate::decode::{Code, decode};
use crate::env::{Dims, Env, Shared};
use crate::error::ParseError;
use crate::exec::Warp;
use crate::program::{FunctionId, Program, RelocationTarget};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;
use tidegate_machine::global::GlobalState;
use tidegate_machine::grid::{self, Gauge, Report};
use tidegate_machine::hardware::{BlockLaunch, Config, Hardware};
use tidegate_machine::memory::{Global, RESERVED};
use tidegate_machine::schedule::{RoundRobin, Schedule};

/// Why a module cannot be loaded or a kernel not be launched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each says what it is")]
pub enum LaunchError {
    #[error("the module has no kernel `{name}`; it has {found}")]
    NoKernel { name: String, found: String },
    #[error("the launch gives {found} bytes of parameters, `{kernel}` takes {wanted}")]
    ParameterBytes { kernel: String, found: usize, wanted: u64 },
    #[error("a block of {x} x {y} x {z} threads: {why}")]
    Block { x: u32, y: u32, z: u32, why: String },
    #[error("a grid of {x} x {y} x {z} blocks: {why}")]
    Grid { x: u32, y: u32, z: u32, why: String },
    #[error("a cluster of {x} x {y} x {z} blocks: {why}")]
    Cluster { x: u32, y: u32, z: u32, why: String },
    #[error("the block needs {needed} bytes of shared memory, {target} gives a block {limit} at most")]
    SharedMemory { needed: u64, limit: u32, target: String },
    #[error("the module has no shared variable `{0}` to hold the dynamic shared memory")]
    NoDynamicSymbol(String),
    #[error("`{0}` is an external variable of another module, which is not there")]
    External(String),
    #[error("{0} bytes of global memory are asked for, {1} are left of what the model holds")]
    Memory(u64, u64),
}

/// A module, ready to run.
#[derive(Debug)]
pub struct Module {
    /// The code.
    pub code: Arc<Code>,
}

impl Module {
    /// Reads, resolves and decodes a PTX text.
    ///
    /// # Errors
    ///
    /// All mistakes that were found, each with its place.
    pub fn from_text(text: &str) -> Result<Module, Vec<ParseError>> {
        let program = crate::resolve(&crate::parse(text)?)?;
        Ok(Module { code: Arc::new(decode(program)?) })
    }

    /// The names of its kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.code.program.functions.iter().filter(|f| f.entry && f.defined).map(|f| f.name.as_str())
    }

    /// The kernel of a name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn kernel(&self, name: &str) -> Result<FunctionId, LaunchError> {
        let found = self.code.program.functions.iter().position(|f| f.entry && f.defined && f.name == name);
        match found {
            Some(index) => Ok(FunctionId(index as u32)),
            None => {
                let names: Vec<_> = self.kernels().map(|n| format!("`{n}`")).collect();
                let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                Err(LaunchError::NoKernel { name: name.to_owned(), found })
            }
        }
    }
}

/// A module whose variables lie in a device's memory.
#[derive(Debug)]
pub struct Loaded {
    /// The code.
    pub code: Arc<Code>,
    /// The address of each global and constant symbol; of others, their offset.
    pub symbols: Vec<u64>,
}

/// How a kernel is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Sizes.
    pub dims: Dims,
    /// Dynamic shared memory in bytes.
    pub dynamic_shared_bytes: u32,
    /// A shared variable that stands for the dynamic shared memory though it is not declared `extern` (LLVM makes a
    /// one-byte variable of it when only one function uses it).
    pub dynamic_shared_symbol: Option<String>,
    /// The dynamic shared memory starts at a multiple of this, at least; its declaration may ask for more.
    pub dynamic_shared_align: u32,
    /// The parameter block, laid out as the kernel declares it.
    pub params: Vec<u8>,
}

/// How a launch is run.
pub struct RunOptions {
    /// What is checked.
    pub config: Config,
    /// Threads of the host.
    pub threads: usize,
    /// Stop at the first cluster that a finding stops.
    pub stop_early: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        RunOptions { config: Config::default(), threads, stop_early: true }
    }
}

/// What a launch did.
#[derive(Debug)]
pub struct Outcome {
    /// Findings and counts.
    pub report: Report,
    /// What the kernel printed (`vprintf`).
    pub output: Vec<u8>,
}

/// Global memory, and what runs on it.
#[derive(Debug, Default)]
pub struct Device {
    memory: Global,
    bytes: u64,
}

/// Global memory of a device: as much as an H100 has.
const MEMORY: u64 = 80 << 30;

impl Device {
    /// An empty one.
    pub fn new() -> Device {
        Device::default()
    }

    /// Reserves bytes that nobody has written; their address.
    ///
    /// # Errors
    ///
    /// There are not as many.
    pub fn allocate(&mut self, name: &str, len: u64) -> Result<u64, LaunchError> {
        if len > MEMORY - self.bytes {
            return Err(LaunchError::Memory(len, MEMORY - self.bytes));
        }
        self.bytes += len;
        let index = self.memory.allocate(name, len);
        Ok(self.memory.allocations()[index].base)
    }

    /// Reserves and writes bytes; their address.
    ///
    /// # Errors
    ///
    /// As [`Device::allocate`].
    pub fn upload(&mut self, name: &str, bytes: &[u8]) -> Result<u64, LaunchError> {
        let address = self.allocate(name, bytes.len() as u64)?;
        self.write(address, bytes);
        Ok(address)
    }

    /// Lets kernels only read the allocation at an address.
    pub fn protect(&mut self, address: u64) {
        if let Some((index, _, _)) = self.memory.find(address, 0) {
            self.memory.protect(index);
        }
    }

    /// Writes bytes at an address of an allocation; beyond its end nothing is written.
    pub fn write(&self, address: u64, bytes: &[u8]) {
        if let Some((_, a, offset)) = self.memory.find(address, bytes.len() as u64) {
            a.write(offset, bytes);
        }
    }

    /// Reads bytes at an address; nothing when the range is in no allocation.
    pub fn read(&self, address: u64, len: u64) -> Option<Vec<u8>> {
        let (_, a, offset) = self.memory.find(address, len)?;
        let mut out = vec![0; len as usize];
        a.read(offset, &mut out);
        Some(out)
    }

    /// Makes the whole allocation at an address count as written; it holds zeros where nothing else was written.
    pub fn fill_zeros(&self, address: u64) {
        if let Some((_, a, _)) = self.memory.find(address, 0) {
            a.mark_written();
        }
    }

    /// Checks what a driver checks of a launch, without running it.
    ///
    /// # Errors
    ///
    /// As [`Device::launch`].
    pub fn check(&self, loaded: &Loaded, kernel: FunctionId, launch: &Launch) -> Result<(), LaunchError> {
        self.prepare(loaded, kernel, launch).map(|_| ())
    }

    /// The first byte of a range that nothing has written.
    pub fn first_unwritten(&self, address: u64, len: u64) -> Option<u64> {
        let (_, a, offset) = self.memory.find(address, len)?;
        a.first_missing(offset, len).map(|byte| byte - offset)
    }

    /// Places a module's variables in memory.
    ///
    /// # Errors
    ///
    /// A variable of another module; more memory than there is.
    pub fn load(&mut self, module: &Module) -> Result<Loaded, LaunchError> {
        let program = &module.code.program;
        let mut symbols = Vec::with_capacity(program.symbols.len());
        let mut placed = Vec::new();
        for s in &program.symbols {
            symbols.push(match s.space {
                Space::Global | Space::Const => {
                    if s.external {
                        return Err(LaunchError::External(s.name.clone()));
                    }
                    if s.size > MEMORY - self.bytes {
                        return Err(LaunchError::Memory(s.size, MEMORY - self.bytes));
                    }
                    self.bytes += s.size;
                    let index = self.memory.allocate(&s.name, s.size);
                    placed.push((index, s.space == Space::Const));
                    self.memory.allocations()[index].base
                }
                Space::Shared => u64::from(RESERVED) + s.offset,
                _ => s.offset,
            });
        }
        let loaded = Loaded { code: Arc::clone(&module.code), symbols };
        for (s, &address) in program.symbols.iter().zip(&loaded.symbols) {
            if !matches!(s.space, Space::Global | Space::Const) {
                continue;
            }
            self.write(address, &initial_bytes(program, s, &loaded.symbols));
            // What has no initial value is zero (ISA 5.4.4).
            if let Some((_, a, _)) = self.memory.find(address, s.size) {
                a.mark_written();
            }
        }
        for (index, read_only) in placed {
            if read_only {
                self.memory.protect(index);
            }
        }
        Ok(loaded)
    }

    /// Runs a kernel under a schedule for each cluster.
    ///
    /// # Errors
    ///
    /// A launch that a driver would refuse. What goes wrong while it runs is a finding in the outcome.
    pub fn launch(
        &mut self,
        loaded: &Loaded,
        kernel: FunctionId,
        launch: &Launch,
        options: &RunOptions,
        gauge: &Gauge,
        schedule: &(dyn Fn(u64) -> Box<dyn Schedule> + Sync),
    ) -> Result<Outcome, LaunchError> {
        let shared = self.prepare(loaded, kernel, launch)?;
        let dims = launch.dims;
        let threads = dims.block.iter().product::<u32>();
        let per_cluster: [u32; 3] = dims.cluster;
        let clusters: [u64; 3] = std::array::from_fn(|i| u64::from(dims.grid[i] / per_cluster[i]));
        let total = clusters.iter().product();
        let mut state = GlobalState::new(std::mem::take(&mut self.memory));
        state.alone = total == 1;
        let state = Arc::new(state);
        let start = |index: u64| {
            let at =
                [index % clusters[0], index / clusters[0] % clusters[1], index / (clusters[0] * clusters[1])];
            let mut blocks = Vec::new();
            let mut ctaids = Vec::new();
            for z in 0..per_cluster[2] {
                for y in 0..per_cluster[1] {
                    for x in 0..per_cluster[0] {
                        let ctaid = [
                            at[0] as u32 * per_cluster[0] + x,
                            at[1] as u32 * per_cluster[1] + y,
                            at[2] as u32 * per_cluster[2] + z,
                        ];
                        ctaids.push(ctaid);
                        let agents = (0..threads.div_ceil(32)).map(|w| lanes_of_warp(threads, w)).collect();
                        blocks.push(BlockLaunch { ctaid, shared_bytes: shared.shared_bytes, agents });
                    }
                }
            }
            let hw = Hardware::new(options.config.clone(), Arc::clone(&state), index, blocks);
            let mut warps = Vec::new();
            for (rank, &ctaid) in ctaids.iter().enumerate() {
                for warp in 0..threads.div_ceil(32) {
                    let env = Env {
                        code: Arc::clone(&shared.code),
                        launch: Arc::clone(&shared),
                        ctaid,
                        rank: rank as u32,
                        warp,
                    };
                    warps.push(Warp::new(Arc::new(env), kernel, lanes_of_warp(threads, warp)));
                }
            }
            (hw, warps)
        };
        let grid_options = grid::Options {
            threads: options.threads,
            communicating: communicates(&loaded.code),
            resident: 132,
            stop_early: options.stop_early,
        };
        let report = grid::run(total, &grid_options, gauge, &start, schedule);
        let output = std::mem::take(&mut *lock(&shared.output));
        // Every cluster is gone: the memory is ours again.
        if let Ok(state) = Arc::try_unwrap(state) {
            self.memory = state.memory;
        }
        Ok(Outcome { report, output })
    }

    /// [`Device::launch`] with agents in turn.
    ///
    /// # Errors
    ///
    /// As [`Device::launch`].
    pub fn run(
        &mut self,
        loaded: &Loaded,
        kernel: FunctionId,
        launch: &Launch,
        options: &RunOptions,
    ) -> Result<Outcome, LaunchError> {
        let schedule = |_| Box::new(RoundRobin::default()) as Box<dyn Schedule>;
        self.launch(loaded, kernel, launch, options, &Gauge::default(), &schedule)
    }

    fn prepare(
        &self,
        loaded: &Loaded,
        kernel: FunctionId,
        launch: &Launch,
    ) -> Result<Arc<Shared>, LaunchError> {
        let program = &loaded.code.program;
        let function = &program.functions[kernel.0 as usize];
        if launch.params.len() as u64 != function.param_bytes {
            return Err(LaunchError::ParameterBytes {
                kernel: function.name.clone(),
                found: launch.params.len(),
                wanted: function.param_bytes,
            });
        }
        check_dims(function, &launch.dims)?;
        let mut symbols = loaded.symbols.clone();
        let mut align = launch.dynamic_shared_align.max(16);
        let mut end = u64::from(RESERVED) + program.shared_bytes;
        let named = launch.dynamic_shared_symbol.as_deref();
        let is_dynamic = |s: &crate::program::Symbol| {
            s.space == Space::Shared && ((s.external && s.size == 0) || named == Some(s.name.as_str()))
        };
        if let Some(name) = named
            && !program.symbols.iter().any(is_dynamic)
        {
            return Err(LaunchError::NoDynamicSymbol(name.to_owned()));
        }
        // A demoted symbol lies among the static variables: when it is alone there, the dynamic memory takes its place.
        let statics = |s: &&crate::program::Symbol| s.space == Space::Shared && !is_dynamic(s);
        if program.symbols.iter().filter(statics).count() == 0 {
            end = u64::from(RESERVED);
        }
        for s in program.symbols.iter().filter(|s| is_dynamic(s)) {
            align = align.max(s.align as u32);
        }
        let dynamic = end.next_multiple_of(u64::from(align));
        for (at, s) in symbols.iter_mut().zip(&program.symbols) {
            if is_dynamic(s) {
                *at = dynamic;
            }
        }
        let needed = match launch.dynamic_shared_bytes {
            0 => end - u64::from(RESERVED),
            bytes => dynamic + u64::from(bytes) - u64::from(RESERVED),
        };
        // CUDA C programming guide, technical specifications: 227 KB a block on 9.0 and 10.x.
        let limit = 227 << 10;
        if needed > u64::from(limit) {
            let target = program.target.first().cloned().unwrap_or_default();
            return Err(LaunchError::SharedMemory { needed, limit, target });
        }
        Ok(Arc::new(Shared {
            code: Arc::clone(&loaded.code),
            params: launch.params.clone(),
            symbols,
            dims: launch.dims,
            shared_bytes: needed as u32,
            dynamic_bytes: launch.dynamic_shared_bytes,
            output: Mutex::default(),
        }))
    }
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lanes_of_warp(threads: u32, warp: u32) -> u32 {
    match threads.saturating_sub(warp * 32) {
        n if n >= 32 => u32::MAX,
        n => (1 << n) - 1,
    }
}

/// The initial bytes of a variable, with addresses filled in.
fn initial_bytes(program: &Program, s: &crate::program::Symbol, symbols: &[u64]) -> Vec<u8> {
    let mut bytes = s.init.clone();
    for r in &s.relocations {
        let address = match r.target {
            RelocationTarget::Function(f) => crate::isa::control::function_address(f),
            RelocationTarget::Symbol(id) => {
                let at = symbols.get(id.0 as usize).copied().unwrap_or(0);
                match program.symbols.get(id.0 as usize).map(|s| s.space) {
                    Some(Space::Shared) if r.generic => at + tidegate_machine::memory::SHARED_WINDOW,
                    Some(Space::Local) if r.generic => at + crate::env::LOCAL_WINDOW,
                    _ => at,
                }
            }
        };
        let value = address.wrapping_add_signed(r.addend);
        let data = match r.byte_shift {
            Some(shift) => vec![(value >> shift) as u8],
            None => value.to_le_bytes().to_vec(),
        };
        let at = r.at as usize;
        if bytes.len() < at + data.len() {
            bytes.resize(at + data.len(), 0);
        }
        bytes[at..at + data.len()].copy_from_slice(&data);
    }
    bytes
}

/// What a driver checks of a launch's sizes.
fn check_dims(function: &crate::program::Function, dims: &Dims) -> Result<(), LaunchError> {
    let [x, y, z] = dims.block;
    let block = |why: String| Err(LaunchError::Block { x, y, z, why });
    let threads = u64::from(x) * u64::from(y) * u64::from(z);
    if threads == 0 {
        return block("each dimension is at least 1".to_owned());
    }
    if threads > 1024 || x > 1024 || y > 1024 || z > 64 {
        return block("a block has 1024 threads at most, 64 in z".to_owned());
    }
    let three = |v: &[u64]| -> [u64; 3] { std::array::from_fn(|i| v.get(i).copied().unwrap_or(1)) };
    for (name, numbers) in &function.directives {
        let [a, b, c] = three(numbers);
        match name.as_str() {
            "maxntid" if threads > a * b * c => {
                return block(format!(
                    "`{}` was compiled for {} at most (.maxntid)",
                    function.name,
                    a * b * c
                ));
            }
            "reqntid" if [a, b, c] != dims.block.map(u64::from) => {
                return block(format!("`{}` was compiled for {a} x {b} x {c} (.reqntid)", function.name));
            }
            "reqnctapercluster" if [a, b, c] != dims.cluster.map(u64::from) => {
                let [x, y, z] = dims.cluster;
                let why =
                    format!("`{}` was compiled for {a} x {b} x {c} (.reqnctapercluster)", function.name);
                return Err(LaunchError::Cluster { x, y, z, why });
            }
            _ => {}
        }
    }
    let [x, y, z] = dims.grid;
    let grid = |why: &str| Err(LaunchError::Grid { x, y, z, why: why.to_owned() });
    if x == 0 || y == 0 || z == 0 {
        return grid("each dimension is at least 1");
    }
    if x > 0x7fff_ffff || y > 65535 || z > 65535 {
        return grid("a grid has 2147483647 blocks in x at most, 65535 in y and z");
    }
    let [cx, cy, cz] = dims.cluster;
    let cluster = |why: &str| Err(LaunchError::Cluster { x: cx, y: cy, z: cz, why: why.to_owned() });
    if u64::from(cx) * u64::from(cy) * u64::from(cz) == 0 {
        return cluster("each dimension is at least 1");
    }
    if u64::from(cx) * u64::from(cy) * u64::from(cz) > 16 {
        return cluster("a cluster has 16 blocks at most (8 unless the kernel allows more)");
    }
    if x % cx != 0 || y % cy != 0 || z % cz != 0 {
        return cluster("the grid is no multiple of it");
    }
    Ok(())
}

/// Whether blocks may wait for each other through global memory: then they run in turns, so that each run is the same.
fn communicates(code: &Code) -> bool {
    code.program.functions.iter().flat_map(|f| &f.body).any(|i| {
        let head = i.opcode.first().map_or("", String::as_str);
        let has = |m: &str| i.opcode.iter().any(|o| o == m);
        match head {
            "atom" | "red" => !has("shared") && !has("shared::cta") && !has("shared::cluster"),
            "ld" | "st" => {
                (has("acquire") || has("release") || has("volatile") || has("relaxed")) && !has("shared")
            }
            _ => false,
        }
    })
}
