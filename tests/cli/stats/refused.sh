# a file without a series of numbers is rejected by one line with the reason and status 5
try() { printf %b "$1" > f.csv; shift; status=0; hotdrift stats "$@" f.csv || status=$?; echo "status $status"; }
try ''
try '1,2\n3,4\n'
try 'a,b\nx,y\n'
try 'a,b\n1\n'
try 'a,b\n'
try 'a\0,b\n1,2\n'
try 'a,"b\n1,2\n'
try 'a,b\n1,x\n' --column b
try 'a,b\n1,x\n' --column c
status=0; hotdrift stats no-such-file || status=$?; echo "status $status"
status=0; hotdrift stats || status=$?; echo "status $status"
