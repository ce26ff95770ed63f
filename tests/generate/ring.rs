//! Producers fill a ring of slots, consumers empty it; the results are stored, sent by TMA, or handed to a writer.

use super::Generator;

/// How a thread waits for a phase.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// `tg.barrier_wait`.
    Counted,
    /// `tg.barrier_wait_parity`, with the parity of the lap.
    Parity,
    /// `tg.barrier_test` in a loop, then the same.
    Polled,
}

/// How slots are filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    /// Loads and stores.
    Stores,
    /// TMA copies that announce their bytes and arrive.
    Copies,
    /// Bytes announced once, copies that pay them.
    Raw,
}

/// How results leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drain {
    /// Stores.
    Stores,
    /// The consumer's own TMA copies.
    Copies,
    /// TMA copies of another role.
    Writer,
}

/// What a ring is made of.
struct Ring {
    slots: usize,
    /// Arrays of a slot.
    parts: usize,
    producers: usize,
    consumers: usize,
    /// Arrivals that each thread makes at once.
    each: usize,
    fill: Fill,
    drain: Drain,
    /// The type of the ring's memory, and of what results are staged in.
    memory: String,
    stage: String,
    full: String,
    empty: String,
    ready: String,
}

impl Generator {
    pub(super) fn ring(&mut self) {
        let tma = self.fits_tma(1);
        let grid = if tma && !self.fits_tma(3) { "" } else { self.grid() };
        let ring = self.plan_ring();
        self.head(ring.parts, grid);
        if self.blocks > 1 {
            self.line("%block = tg.axis_index \"g\" : index");
        }
        self.line(&format!("%buf = tg.alloc : {}", ring.memory));
        if ring.drain != Drain::Stores {
            self.line(&format!("%out = tg.alloc : {}", ring.stage));
        }
        self.line(&format!("%full = tg.alloc_barrier : {}", ring.full));
        self.line(&format!("%empty = tg.alloc_barrier : {}", ring.empty));
        if ring.drain == Drain::Writer {
            self.line(&format!("%ready = tg.alloc_barrier : {}", ring.ready));
            self.line(&format!("%free = tg.alloc_barrier : {}", ring.ready));
        }
        self.line(&format!("%slots = arith.constant {} : index", ring.slots));
        self.line("%true = arith.constant true");
        self.open("tg.warp_specialize {");
        self.producer(&ring);
        self.consumer(&ring);
        if ring.drain == Drain::Writer {
            self.writer(&ring);
        }
        self.close();
    }

    fn plan_ring(&mut self) -> Ring {
        let parts = if self.fits_tma(3) || !self.fits_tma(1) { self.rng.usize(1..3) } else { 1 };
        let lead = 1 + usize::from(parts > 1) + usize::from(self.blocks > 1);
        let slots = self.rng.usize(1..5);
        let (producers, consumers) = (self.rng.usize(1..=parts), self.rng.usize(1..=parts));
        let fits = self.fits_tma(lead);
        let fill = match self.rng.u8(..4) {
            0 => Fill::Stores,
            _ if !fits => Fill::Stores,
            1 => Fill::Raw,
            _ => Fill::Copies,
        };
        let drain = match self.rng.u8(..3) {
            0 => Drain::Stores,
            _ if !fits => Drain::Stores,
            1 => Drain::Copies,
            _ => Drain::Writer,
        };
        let each = if self.chance(3) { 3 } else { 1 };
        let transform = self.transform();
        let lead = format!("{slots}x{}", super::many(parts));
        let memory = self.shared(&lead, &transform);
        let transform = if self.rng.bool() { transform } else { String::new() };
        let stage = self.shared(&format!("{parts}x"), &transform);
        // More barriers than a word has bits, of which the first are used.
        let group = if self.chance(6) { 40 } else { slots };
        let arrivals = match fill {
            Fill::Stores => producers * each,
            Fill::Copies => parts,
            Fill::Raw => producers,
        };
        Ring {
            slots,
            parts,
            producers,
            consumers,
            each,
            fill,
            drain,
            memory,
            stage,
            full: format!("!tg.barrier_ref<{group}, arrivals = {arrivals}>"),
            empty: format!("!tg.barrier_ref<{group}, arrivals = {}>", consumers * each),
            ready: format!("!tg.barrier_ref<{parts}, arrivals = 1>"),
        }
    }

    /// Tiles and swizzles of shared memory that the shape has room for, or nothing.
    fn transform(&mut self) -> String {
        let [rows, columns] = self.shape[..] else { return String::new() };
        let row = columns * self.elem.bytes();
        let spans: Vec<usize> = [32, 64, 128].into_iter().filter(|&span| row == span).collect();
        if self.rng.bool() || rows % 8 != 0 {
            return String::new();
        }
        if let Some(&span) = spans.first() {
            return format!(", tile = [8, {columns}], swizzle = {span}");
        }
        // Two tiles side by side.
        if row.is_multiple_of(2) && [32, 64, 128].contains(&(row / 2)) && self.shape.len() + 3 <= 4 {
            return format!(", tile = [8, {}], swizzle = {}", columns / 2, row / 2);
        }
        String::new()
    }

    fn way(&mut self) -> Wait {
        [Wait::Counted, Wait::Counted, Wait::Parity, Wait::Polled][self.rng.usize(..4)]
    }

    /// `count` at an arrival.
    fn times(each: usize) -> String {
        if each == 1 { String::new() } else { format!(" count {each}") }
    }

    /// Waits for slot `%slot` of a group; `%lap` is the parity of the lap, `%before` the other one.
    fn wait(&mut self, way: Wait, barrier: &str, ty: &str, parity: &str) {
        match way {
            Wait::Counted => self.line(&format!("tg.barrier_wait {barrier} : {ty}")),
            Wait::Parity => self.line(&format!("tg.barrier_wait_parity {barrier}, {parity} : {ty}")),
            Wait::Polled => {
                let (tries, count, next) = (self.fresh(), self.fresh(), self.fresh());
                self.open(&format!("{tries} = scf.while ({count} = %c0) : (index) -> (index) {{"));
                let done = self.op(&format!("tg.barrier_test {barrier}, {parity} : {ty}"));
                let again = self.op(&format!("arith.xori {done}, %true : i1"));
                self.line(&format!("scf.condition({again}) {count} : index"));
                self.indent -= 1;
                self.open("} do {");
                let inner = self.fresh();
                self.line(&format!("^bb0({inner}: index):"));
                self.line(&format!("{next} = arith.addi {inner}, %c1 : index"));
                self.line(&format!("scf.yield {next} : index"));
                self.close();
                self.line(&format!("tg.barrier_wait_parity {barrier}, {parity} : {ty}"));
            }
        }
    }

    /// The slot of step `%i`, and the parities of its lap: `%lap` for who waits for it to be full, `%before` for who waits
    /// for it to be empty.
    fn slot(&mut self) {
        self.line("%slot = arith.remui %i, %slots : index");
        self.line("%laps = arith.divui %i, %slots : index");
        self.line("%odd = arith.remui %laps, %c2 : index");
        self.line("%lap = arith.cmpi eq, %odd, %c1 : index");
        self.line("%before = arith.xori %lap, %true : i1");
    }

    /// The head of a role of so many threads, which share `parts`; `%part` is where a thread starts.
    fn role(&mut self, name: &str, threads: usize, warp: bool) {
        let threads_text =
            if threads > 1 { format!(" threads [\"{name}_index\" = {threads}]") } else { String::new() };
        let registers = if !warp && self.chance(3) { " registers 96" } else { "" };
        let warps = if warp && threads == 1 { " warps 1" } else { "" };
        self.open(&format!("role @{name}{warps}{threads_text}{registers} {{"));
        if threads > 1 {
            self.line(&format!("%first = tg.axis_index \"{name}_index\" : index"));
        }
    }

    /// What each thread of a role does for the parts that are its own: all, or the one of its index.
    fn own_parts(&self, ring: &Ring, threads: usize) -> Vec<String> {
        match (ring.parts, threads) {
            (1, _) => vec![String::new()],
            (_, 1) => (0..ring.parts).map(|part| format!(", {part}")).collect(),
            _ => vec![", %first".to_owned()],
        }
    }

    fn producer(&mut self, ring: &Ring) {
        let one_warp = ring.fill != Fill::Stores && self.rng.bool();
        self.role("producer", ring.producers, one_warp);
        let (x, array) = (self.input(ring.parts), self.array());
        self.each_step("%c0", "%c1");
        self.slot();
        match self.way() {
            Wait::Counted => {
                self.line("%again = arith.cmpi uge, %i, %slots : index");
                self.open("scf.if %again {");
                self.wait(Wait::Counted, "%empty[%slot]", &ring.empty, "%before");
                self.close();
            }
            way => self.wait(way, "%empty[%slot]", &ring.empty, "%before"),
        }
        let parts = self.own_parts(ring, ring.producers);
        if ring.fill == Fill::Raw {
            let bytes = self.bytes() * parts.len();
            self.line(&format!("tg.barrier_arrive_expect_tx %full[%slot] bytes {bytes} : {}", ring.full));
        }
        for part in &parts {
            if ring.fill == Fill::Stores {
                let value = self.op(&format!("tg.load %x[%i{part}] : {x} -> {array}"));
                self.line(&format!("tg.store {value}, %buf[%slot{part}] : {array}, {}", ring.memory));
                continue;
            }
            let raw = if ring.fill == Fill::Raw { " raw" } else { "" };
            self.line(&format!(
                "tg.copy_gmem_to_smem %x[%i{part}] -> %buf[%slot{part}], %full[%slot]{raw} : {x} -> {}, {}",
                ring.memory, ring.full
            ));
        }
        if ring.fill == Fill::Stores {
            self.line(&format!("tg.barrier_arrive %full[%slot]{} : {}", Self::times(ring.each), ring.full));
        }
        self.close();
        self.close();
    }

    fn consumer(&mut self, ring: &Ring) {
        self.role("consumer", ring.consumers, false);
        let (array, y) = (self.array(), self.output(ring.parts));
        self.each_step("%c0", "%c1");
        self.slot();
        let way = self.way();
        self.wait(way, "%full[%slot]", &ring.full, "%lap");
        let parts = self.own_parts(ring, ring.consumers);
        let mut values = Vec::new();
        for part in &parts {
            values.push(self.op(&format!("tg.load %buf[%slot{part}] : {} -> {array}", ring.memory)));
        }
        self.line(&format!("tg.barrier_arrive %empty[%slot]{} : {}", Self::times(ring.each), ring.empty));
        for (value, part) in values.into_iter().zip(&parts) {
            self.fresh_input();
            let value = self.work(value, "%i");
            let number = if part.is_empty() {
                Some("0".to_owned())
            } else {
                part.strip_prefix(", ").map(str::to_owned)
            };
            let number = number.unwrap_or_default();
            let inner = part.strip_prefix(", ");
            let place = self.place("%i", inner);
            match ring.drain {
                Drain::Stores => self.line(&format!("tg.store {value}, %y[{place}] : {array}, {y}")),
                Drain::Copies => {
                    self.line("tg.wait_smem_to_gmem 0 read_only");
                    self.line("tg.thread_sync");
                    self.line(&format!("tg.store {value}, %out[{number}] : {array}, {}", ring.stage));
                    self.line("tg.commit_smem");
                    self.line(&format!(
                        "tg.copy_smem_to_gmem %out[{number}] -> %y[{place}] : {} -> {y}",
                        ring.stage
                    ));
                }
                Drain::Writer => {
                    let later = self.op("arith.cmpi ugt, %i, %c0 : index");
                    self.open(&format!("scf.if {later} {{"));
                    self.line(&format!("tg.barrier_wait %free[{number}] : {}", ring.ready));
                    self.close();
                    self.line(&format!("tg.store {value}, %out[{number}] : {array}, {}", ring.stage));
                    self.line("tg.commit_smem");
                    self.line(&format!("tg.barrier_arrive %ready[{number}] : {}", ring.ready));
                }
            }
        }
        self.close();
        if ring.drain == Drain::Copies {
            self.line("tg.wait_smem_to_gmem 0");
        }
        self.close();
    }

    /// Sends by TMA what the consumers have staged.
    fn writer(&mut self, ring: &Ring) {
        let one_warp = self.rng.bool();
        self.role("writer", 1, one_warp);
        let y = self.output(ring.parts);
        self.each_step("%c0", "%c1");
        for part in 0..ring.parts {
            let inner = part.to_string();
            let place = self.place("%i", (ring.parts > 1).then_some(inner.as_str()));
            self.line(&format!("tg.barrier_wait %ready[{part}] : {}", ring.ready));
            self.line(&format!("tg.copy_smem_to_gmem %out[{part}] -> %y[{place}] : {} -> {y}", ring.stage));
            self.line("tg.wait_smem_to_gmem 0 read_only");
            self.line(&format!("tg.barrier_arrive %free[{part}] : {}", ring.ready));
        }
        self.close();
        self.line("tg.wait_smem_to_gmem 0");
        self.close();
    }
}
