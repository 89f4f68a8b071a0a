#!/bin/sh
# gpu_profile.sh - what a GPU does while a command runs, and whether it waits: profile.sh gpu
set -eu
exec "$(dirname "$(readlink -f "$0")")/profile.sh" gpu "$@"
