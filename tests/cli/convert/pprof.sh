# the pprof file is a gzipped message that contains the names
printf 'a;b 3\n' | hotdrift convert - --to pprof -o out.pb.gz
gzip -dc out.pb.gz | tr -c '[:lower:]' '\n' | grep -x 'folded\|count\|b' | sort -u
# names come back as they were, although they contain parentheses
printf 'main (a.c);A::f(int)::g;__libc_start 1\nmain (b.c);f(int) 2\n' >names.folded
hotdrift convert names.folded --to pprof -o names.pb.gz
hotdrift fold names.pb.gz
# a profile of another program: a name without its parameters is shown; those of a thunk are a part of its name
{
	printf '\012\004\010\001\020\002'				# sample_type: strings 1 and 2
	printf '\022\006\010\001\010\002\020\005'			# sample: locations 1 and 2, value 5
	printf '\042\006\010\001\042\002\010\001\042\006\010\002\042\002\010\002'	# locations of functions 1 and 2
	printf '\052\006\010\001\020\003\030\004'			# functions: name and system name
	printf '\052\006\010\002\020\005\030\006'
	printf '\062\000\062\007samples\062\005count\062\036non-virtual thunk to C::w(int)\062\016_ZThn8_N1C1wEi'
	printf '\062\006f(int)\062\005_Z1fi'
} >other.pb
hotdrift fold other.pb
# field 0 is invalid: what comes before it is read, and the warning has its offset
{ cat other.pb; printf '\000\001'; cat other.pb; } >damaged.pb
hotdrift fold damaged.pb
