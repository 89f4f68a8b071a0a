# top prints self cost by symbol table, and by inlined function
copies() { hotdrift "$@" --symfs "$FIXTURES/recordings/copies/symfs" "$FIXTURES/recordings/copies/perf.data"; }
copies top --total
copies top --total --inline
copies top --lines --inline
copies top --lines
copies report --by symbol --inline
