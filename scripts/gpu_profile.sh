#!/bin/sh
# gpu_profile.sh - record what a GPU does while a command runs, and when it is idle; the same as profile.sh gpu
set -eu
exec "$(dirname "$(readlink -f "$0")")/profile.sh" gpu "$@"
