// Characters and words that cannot stand where they do.
tg.kernel @k(%x: !tg.ref<128xf32, gmem>) {
  full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1> // error: TG0002 expected an op, found `full`
  %full = tg.alloc_barrier !tg.barrier_ref<2, arrivals = 1> // error: TG0002 expected `:` here in `tg.alloc_barrier`, found `!tg.barrier_ref`
  %a = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>; // error: TG0001 an op ends with its line, without `;`
  %b = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  tg.barrier_wait %b(0) : !tg.barrier_ref<2, arrivals = 1> // error: TG0002 expected `:` here in `tg.barrier_wait`, found `(`
  tg.barrier_wait b[0] : !tg.barrier_ref<2, arrivals = 1> // error: TG0002 expected `barrier`, a value as `%x`, found `b`
  tg.barrier_wait %b[0 : !tg.barrier_ref<2, arrivals = 1> // error: TG0002 expected `,` or `]` in an index list, found `:`
  tg.barrier_wait %b[0] !tg.barrier_ref<2, arrivals = 1> // error: TG0002 expected `:` here in `tg.barrier_wait`, found `!tg.barrier_ref`
  tg.barrier_wait %b[0] // error: TG0002 expected `:` here in `tg.barrier_wait`, found the end of the line
  tg.barrier_wait %b[0] : !tg.barrier_ref<2, arrivals = 1> %b // error: TG0002 expected `=` between results and op, found the end of the line
  tg.barrier_wait % b[0] : !tg.barrier_ref<2, arrivals = 1> // error: TG0001 `%` starts nothing that can stand here
  %c = tg.load %x, : !tg.ref<128xf32, gmem> -> vector<128xf32> // error: TG0002 expected `:` here in `tg.load`, found `,`
  %d = tg.load %x : !tg.ref<128xf32, gmem> = vector<128xf32> // error: TG0002 expected `->` here in `tg.load`, found `=`
  tg.debug_print "open // error: TG0009 the string has no end
  tg.debug_print 'single' // error: TG0001 `'` starts nothing that can stand here
  tg.debug_print "bad \q escape" // error: TG0001 the string has an unknown escape
  é = 4 // error: TG0001 `é` starts nothing that can stand here
  § = 4 // error: TG0001 `§` starts nothing that can stand here
  , ,
  tg.barrier_wait %b[0:1] : !tg.barrier_ref<2, arrivals = 1> // error: TG0002 a range cannot be an index; an index picks one element
  5 = 4
  -> i32
}
