#!/bin/sh
# slurm-array.sh LIST DIR - analyze the recordings that LIST names, divided among the tasks of a job array
#
#     sbatch --array=1-100 slurm-array.sh jobs.txt out
#
# LIST and DIR are on a file system that all nodes have.  The tasks must be numbered from 1.  Slurm sends SIGTERM 60 s
# before the time limit; the same sbatch command then continues where the tasks ended.
#SBATCH --array=1-100
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --output=batch-%A-%a.jsonl
#SBATCH --error=batch-%A-%a.errors

exec hotdrift analyze --files-from "$1" --slice "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
	-P "${SLURM_CPUS_PER_TASK:-1}" -o "$2"
