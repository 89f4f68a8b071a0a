#!/bin/sh
# again.sh COMMAND... - run a command again and again, until it is stopped
while :; do
	"$@" || exit 1
done
