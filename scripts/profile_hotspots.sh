#!/bin/sh
# profile_hotspots.sh - the processor hotspots of a command: profile.sh cpu
set -eu
exec "$(dirname "$(readlink -f "$0")")/profile.sh" cpu "$@"
