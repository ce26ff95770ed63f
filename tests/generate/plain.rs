//! Kernels without roles.

use super::Generator;

impl Generator {
    /// Every thread does all of it; of two threads, each has its own half of the steps.
    pub(super) fn plain(&mut self) {
        let grid = self.grid();
        let two = self.rng.bool();
        let threads = if two { " threads [\"wg\" = 2]" } else { "" };
        self.head(1, &format!("{grid}{threads}"));
        if self.blocks > 1 {
            self.line("%block = tg.axis_index \"g\" : index");
        }
        let (start, step) =
            if two { (self.op("tg.axis_index \"wg\" : index"), "%c2") } else { ("%c0".to_owned(), "%c1") };
        let (x, y, array) = (self.input(1), self.output(1), self.array());
        self.each_step(&start, step);
        let value = self.op(&format!("tg.load %x[%i] : {x} -> {array}"));
        let value = self.work(value, "%i");
        let place = self.place("%i", None);
        self.line(&format!("tg.store {value}, %y[{place}] : {array}, {y}"));
        self.close();
    }

    /// Two threads hand their arrays to each other through shared memory, by `tg.block_sync` or by a barrier that both
    /// arrive on.
    pub(super) fn swapping(&mut self) {
        let grid = self.grid();
        self.head(2, &format!("{grid} threads [\"wg\" = 2]"));
        if self.blocks > 1 {
            self.line("%block = tg.axis_index \"g\" : index");
        }
        let (x, y, array) = (self.input(2), self.output(2), self.array());
        let buffer = self.shared("2x", "");
        self.line("%own = tg.axis_index \"wg\" : index");
        self.line("%other = arith.subi %c1, %own : index");
        self.line(&format!("%buf = tg.alloc : {buffer}"));
        let by_barrier = self.rng.bool();
        let each = self.rng.usize(1..3);
        let barrier = format!("!tg.barrier_ref<1, arrivals = {}>", 2 * each);
        if by_barrier {
            self.line(&format!("%met = tg.alloc_barrier : {barrier}"));
        }
        let meet = |this: &mut Self| {
            if by_barrier {
                let count = if each == 1 { String::new() } else { format!(" count {each}") };
                this.line(&format!("tg.barrier_arrive %met{count} : {barrier}"));
                this.line(&format!("tg.barrier_wait %met : {barrier}"));
            } else {
                this.line("tg.block_sync");
            }
        };
        self.each_step("%c0", "%c1");
        let value = self.op(&format!("tg.load %x[%i, %own] : {x} -> {array}"));
        let value = if self.rng.bool() { self.work(value, "%i") } else { value };
        self.line(&format!("tg.store {value}, %buf[%own] : {array}, {buffer}"));
        meet(self);
        let value = self.op(&format!("tg.load %buf[%other] : {buffer} -> {array}"));
        let value = self.work(value, "%i");
        let place = self.place("%i", Some("%own"));
        self.line(&format!("tg.store {value}, %y[{place}] : {array}, {y}"));
        meet(self);
        self.close();
    }
}
