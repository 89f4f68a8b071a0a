# lost values are counted and reported; --strict makes them an error
printf 'ms,note\n1,a\n2\n3,b,c\n"4"x,d\nnan,e\n1e309,f\n5,g\n6,"never\n7,h\n' > f.csv
hotdrift stats f.csv
status=0; hotdrift stats --strict f.csv || status=$?; echo "status $status"
printf 'ms\n1\n2\n' | hotdrift stats --strict --json - | jq .columns.ms.mean
