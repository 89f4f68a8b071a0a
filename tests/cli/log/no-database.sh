# no database is trouble outside the input, and reading makes none
for command in 'log' 'show' 'query SELECT'; do
	# shellcheck disable=SC2086 # a command line, to be split
	hotdrift $command 2>&1 || echo "status $?"
done
ls
