// Aliases and locations.
#a = [1, 2]
!t = i32
#late = loc("x")
"x.y"() {a = #b} : () -> () // error: TG0012 attribute alias `#b` is not defined
"x.y"() : () -> !u // error: TG0012 type alias `!u` is not defined
"x.y"() : () -> () loc(#nowhere) // error: TG0012 location alias `#nowhere` is not defined
"x.y"() : () -> () loc("file")
"x.y"() : () -> () loc("file":1) // error: TG0002 expected `:` and the column, found `)`
"x.y"() : () -> () loc("file":1:2:3) // error: TG0002 expected `)` at the end of the location, found `:`
"x.y"() : () -> () loc(file) // error: TG0002 expected a location, found `file`
"x.y"() : () -> () loc(callsite("a" "b")) // error: TG0002 expected `at` and the place of the call, found the string "b"
"x.y"() : () -> () loc(fused["a", ]) // error: TG0002 expected a location: `"file":line:column`, `"name"`, `callsite(...)`, `fused[...]` or `unknown`, found `]`
"x.y"() : () -> () loc("file":99999999999:1) // error: TG0008 99999999999 is out of range
"x.y"() : () -> () loc(
"x.y"() : () -> () // error: TG0002 expected a location: `"file":line:column`, `"name"`, `callsite(...)`, `fused[...]` or `unknown`, found `)`
#c = loc(callsite(#d at unknown)) // error: TG0012 location alias `#d` is not defined
#d = loc("d")
#e 5 // error: TG0002 expected `=` behind the name of an alias, found the number `5`
!v = nothing // error: TG0006 `nothing` is no type
!w = // error: TG0002 expected a type, found the end of the line
"x.y"() : () -> ()
