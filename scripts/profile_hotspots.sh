#!/bin/sh
# profile_hotspots.sh - record which functions of a command use the CPU; the same as profile.sh cpu
set -eu
exec "$(dirname "$(readlink -f "$0")")/profile.sh" cpu "$@"
