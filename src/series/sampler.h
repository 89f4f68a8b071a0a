/*
 * sampler.h - read power, GPUs and memory at fixed times while a command runs, and write them to CSV files
 *
 *     rc = hd_sampler_open(&s, &what, err);          probes what can be read; writes nothing
 *     rc = hd_sampler_files(s, "out", err);          out/power.csv, out/gpu.csv, out/memory.csv
 *     rc = hd_sampler_run(s, &child, argv, ...);     samples until the command has ended
 *     rc = hd_sampler_commit(s, log, err);           renames the files to their final names
 *     hd_sampler_free(s);
 *
 * Readings are due at start + k * interval by CLOCK_MONOTONIC.  A late reading has its own time and does not delay
 * later ones; readings that are missed meanwhile are counted.  After each HD_SAMPLER_ROWS readings the interval
 * doubles, up to one second, so that the files of a program that runs for weeks remain small.
 *
 * Times in the files are nanoseconds or microseconds since 1970.  They are computed from CLOCK_MONOTONIC and its offset
 * at the start, so setting the system clock during the run does not change them.
 *
 * A file that cannot be written does not disturb the command.  hd_sampler_commit() returns the error.
 */
#ifndef HD_SERIES_SAMPLER_H
#define HD_SERIES_SAMPLER_H

#include "base/file.h"
#include "base/log.h"
#include "series/child.h"
#include "track/gpumem.h"

enum { HD_SAMPLER_ROWS = 100000 };

enum hd_sampler_kind { HD_SAMPLE_POWER, HD_SAMPLE_GPU, HD_SAMPLE_MEMORY, HD_SAMPLE_KINDS };

/* Return "power", "gpu" or "memory".  The samples of a kind are written to a file of this name with suffix ".csv". */
const char *hd_sampler_kind_name(enum hd_sampler_kind part);

struct hd_sampler_config {
	bool part[HD_SAMPLE_KINDS];
	double constant_watts;		/* NaN: no constant source */
	uint64_t every_ns;		/* interval between readings at the start; above 0 */
};

/* Sums and maxima of the readings of one GPU. */
struct hd_sampler_gpu {
	size_t n, n_util;
	double util_sum_pct, util_max_pct;
	uint64_t used_first_bytes, used_max_bytes;	/* valid with has_memory */
	bool has_memory;
};

struct hd_sampler {
	struct hd_sampler_config what;
	/* reads[kind]: the user wants this kind and there is something to read; the caller may clear it */
	bool reads[HD_SAMPLE_KINDS];
	struct hd_power_meter *meter;		/* NULL unless power is wanted */
	/* source[i]: read this power source; all are false at first, and the caller sets them */
	bool *source;
	struct hd_gpumem *gpus;			/* NULL: none */
	struct hd_gpumem_status gpu_why;
	bool written[HD_SAMPLE_KINDS];		/* set by hd_sampler_commit(): the file of this kind was written */
	/* The following members are results of hd_sampler_run(). */
	uint64_t start_ns, end_ns;		/* since 1970 */
	uint64_t interval_ns;			/* the interval at the end: what.every_ns, doubled as described above */
	size_t readings, missed;		/* missed: readings that were due while the sampler was late */
	uint64_t latest_ns;			/* the longest delay of a reading */
	double cpu_s;				/* CPU time of this process while it sampled */
	struct hd_sampler_gpu *gpu;		/* one entry per GPU */
	size_t rows[HD_SAMPLE_KINDS];
	size_t processes, processes_missed;
	/* largest sum over all processes that was read; the kernel's peak if the command ended before a reading */
	uint64_t peak_rss_bytes;
	struct hd_sampler_private *p;
};

/* HD_EIO: out of memory.  Nothing to read is no error: see hd_sampler.reads.  The caller frees *out. */
int hd_sampler_open(struct hd_sampler **out, const struct hd_sampler_config *what, struct hd_err *err);
/* Create the CSV file of each kind of samples that is read.  The folder must exist. */
int hd_sampler_files(struct hd_sampler *s, const char *dir, struct hd_err *err);
/*
 * Start argv, or attach to process `pid` if argv is NULL, and take readings until the command or the process ends.  The
 * caller has called hd_child_hold(c); this function reaps the command (hd_child_reap()).  HD_EIO if the command cannot
 * be started, or if there is no such process.
 */
int hd_sampler_run(struct hd_sampler *s, struct hd_child *c, char *const *argv, pid_t pid, const sigset_t *ignored,
		   struct hd_err *err);
/*
 * Write all files that have rows to their final paths, and discard the others.  Returns the first error, but tries all
 * files; later errors are warnings.
 */
int hd_sampler_commit(struct hd_sampler *s, struct hd_log *log, struct hd_err *err);
void hd_sampler_free(struct hd_sampler *s);	/* accepts NULL; files that are not committed are discarded */

#endif
