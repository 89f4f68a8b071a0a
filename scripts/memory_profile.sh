#!/bin/sh
# memory_profile.sh - who allocates, and who never frees: profile.sh memory
set -eu
exec "$(dirname "$(readlink -f "$0")")/profile.sh" memory "$@"
