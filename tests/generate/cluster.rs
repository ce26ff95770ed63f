//! Blocks of a cluster: copies that reach several, barriers that all arrive on, arrivals at peers.

use super::Generator;

impl Generator {
    pub(super) fn cluster(&mut self) {
        let (rows, columns) = [(1, 2), (1, 2), (1, 4), (2, 2)][self.rng.usize(..4)];
        let size = rows * columns;
        self.blocks = size;
        let axes = if rows == 1 {
            format!(" grid [\"g\" = 1] cluster [\"c\" = {columns}]")
        } else {
            format!(" grid [\"g\" = 1] cluster [\"r\" = {rows}, \"c\" = {columns}]")
        };
        self.head(1, &axes);
        self.line("%c = tg.axis_index \"c\" : index");
        if rows == 1 {
            self.line("%block = arith.addi %c, %c0 : index");
        } else {
            self.line("%r = tg.axis_index \"r\" : index");
            self.line(&format!("%columns = arith.constant {columns} : index"));
            self.line("%row = arith.muli %r, %columns : index");
            self.line("%block = arith.addi %row, %c : index");
        }
        let all = if rows == 1 { "[\"c\"]" } else { "[[\"r\", \"c\"]]" };
        let met = format!("!tg.barrier_ref<1, arrivals = 1, cluster = {all}>");
        let plain = "!tg.barrier_ref<1, arrivals = 1>";
        let buffer = self.shared("", "");
        self.line(&format!("%buf = tg.alloc : {buffer}"));
        self.line(&format!("%met = tg.alloc_barrier : {met}"));
        self.line(&format!("%full = tg.alloc_barrier : {plain}"));
        self.line(&format!("%token = tg.alloc_barrier : {plain}"));
        self.line("%leader = arith.cmpi eq, %block, %c0 : index");
        self.line(&format!("%size = arith.constant {size} : index"));
        self.line("%after = arith.addi %block, %c1 : index");
        self.line("%peer = arith.remui %after, %size : index");
        let (x, y, array) = (self.input(1), self.output(1), self.array());
        let by_sync = self.chance(3);
        let tma = self.fits_tma(2);
        let collective = tma && self.splits(size) && self.rng.bool();
        self.each_step("%c0", "%c1");
        let bytes = self.bytes();
        if tma && !collective {
            self.line(&format!("tg.barrier_arrive_expect_tx %full bytes {bytes} : {plain}"));
        }
        // Nobody writes to a block before it runs, has read what it got and has announced what it wants.
        if by_sync {
            self.line("tg.cluster_sync");
        } else {
            self.line(&format!("tg.barrier_arrive %met : {met}"));
            self.line(&format!("tg.barrier_wait %met : {met}"));
        }
        let value = if tma {
            if collective {
                let axes = if rows == 1 { "\"c\"" } else { "\"r\", \"c\"" };
                self.line(&format!(
                    "tg.copy_gmem_to_smem %x[%i] -> %buf, %full collective [{axes}] : {x} -> {buffer}, {plain}"
                ));
            } else {
                let ranks: Vec<String> = (0..size).map(|rank| rank.to_string()).collect();
                let ranks = ranks.join(", ");
                self.line(&format!(
                    "tg.copy_gmem_to_smem %x[%i] -> %buf, %full raw multicast [{ranks}] if %leader : {x} -> {buffer}, {plain}"
                ));
            }
            self.line(&format!("tg.barrier_wait %full : {plain}"));
            self.op(&format!("tg.load %buf : {buffer} -> {array}"))
        } else {
            self.op(&format!("tg.load %x[%i] : {x} -> {array}"))
        };
        let value = self.work(value, "%i");
        if self.rng.bool() {
            // A token goes round.
            self.line(&format!("tg.barrier_arrive %token peer(%peer) : {plain}"));
            self.line(&format!("tg.barrier_wait %token : {plain}"));
        }
        let place = self.place("%i", None);
        self.line(&format!("tg.store {value}, %y[{place}] : {array}, {y}"));
        self.close();
        if self.rng.bool() {
            self.line("tg.cluster_sync");
        }
    }

    /// Whether a box of the kernel's shape can be cut into so many parts.
    fn splits(&self, size: usize) -> bool {
        let outer = self.shape[0];
        let inner = self.shape.last().copied().unwrap_or(1) * self.elem.bytes();
        let part = if self.shape.len() == 1 { inner / size } else { inner };
        outer.is_multiple_of(size) && part.is_multiple_of(128)
    }
}
