#!/bin/sh
# memory_profile.sh - record which functions of a command allocate memory and leak it; the same as profile.sh memory
set -eu
exec "$(dirname "$(readlink -f "$0")")/profile.sh" memory "$@"
