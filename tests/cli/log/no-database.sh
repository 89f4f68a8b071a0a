# a missing database is not an error of the input (status 6), and reading commands do not create one
for command in 'log' 'show' 'query SELECT'; do
	# shellcheck disable=SC2086 # a command line, to be split
	hotdrift $command 2>&1 || echo "status $?"
done
ls
