/*
 * probe_row.h - a row of the table of probes, and the functions that rows refer to
 *
 * Only the files probe*.c and checkup.c include this header.
 */
#ifndef HD_DOCTOR_PROBE_ROW_H
#define HD_DOCTOR_PROBE_ROW_H

#include "base/buf.h"
#include "doctor/probe.h"

#include <stdint.h>

struct hd_checkup;

/* The action that triggers the event. */
enum hd_probe_feed { HD_FEED_SPIN, HD_FEED_SLEEP, HD_FEED_TOUCH, HD_FEED_WAKE };
/* The records that the ring buffer must contain after the action. */
enum hd_probe_want {
	HD_WANT_SAMPLES, HD_WANT_SWITCH_RECORDS, HD_WANT_USER_CHAIN, HD_WANT_KERNEL_CHAIN, HD_WANT_STACK
};

struct hd_probe_event {
	uint32_t type;			/* as in struct perf_event_attr */
	uint64_t config;
	/* tracepoint whose ID replaces `config`, for example "sched/sched_switch"; NULL: none */
	const char *tracepoint;
	uint64_t period;
	enum hd_probe_feed feed;
	enum hd_probe_want want;
	bool kernel, all_cpus, branches, precise;
};

struct hd_probe_row {
	const char *name, *label;
	bool optional;
	int most_paranoid;
	void (*run)(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row);
	const char *arg;		/* argument of `run`, whose meaning depends on the function */
	struct hd_probe_event event;	/* the event, for rows whose `run` is hd_probe_run_event() */
	/* Append the reason of a failure to `why` and a command that fixes it, if there is one, to `fix`. */
	void (*explain)(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why, struct hd_buf *fix);
};

extern const struct hd_probe_row hd_probe_rows[HD_PROBES];

#define HD_DECLARE_RUN(test)                                                                                          \
	void hd_probe_run_##test(struct hd_probe *p, const struct hd_probe_env *env, const struct hd_probe_row *row)
#define HD_DECLARE_EXPLAIN(what)                                                                                      \
	void hd_probe_explain_##what(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *why,             \
		struct hd_buf *fix)

/* probe_events.c */
HD_DECLARE_RUN(open);
HD_DECLARE_RUN(event);
HD_DECLARE_RUN(ring);
/* probe_files.c */
HD_DECLARE_RUN(perf);
HD_DECLARE_RUN(record);		/* row->arg: the word of a profile mode */
HD_DECLARE_RUN(preload);
HD_DECLARE_RUN(kallsyms);
HD_DECLARE_RUN(vmlinux);
HD_DECLARE_RUN(folder);		/* row->arg: path of the folder */
HD_DECLARE_RUN(git);
HD_DECLARE_RUN(nsys);
/* probe_gpu.c */
HD_DECLARE_RUN(cuda_library);
HD_DECLARE_RUN(cuda_driver);
HD_DECLARE_RUN(cupti);
HD_DECLARE_RUN(nvml);
HD_DECLARE_RUN(uprobe);
HD_DECLARE_RUN(power_source);	/* row->arg: name of the source (hd_power_source.name of track/power.h) */
/* probe_advice.c */
HD_DECLARE_EXPLAIN(event);
HD_DECLARE_EXPLAIN(perf);
HD_DECLARE_EXPLAIN(record);
HD_DECLARE_EXPLAIN(preload);
HD_DECLARE_EXPLAIN(not_built);
HD_DECLARE_EXPLAIN(gpu);
HD_DECLARE_EXPLAIN(uprobe);
HD_DECLARE_EXPLAIN(rapl);
HD_DECLARE_EXPLAIN(power);
HD_DECLARE_EXPLAIN(kallsyms);
HD_DECLARE_EXPLAIN(vmlinux);
HD_DECLARE_EXPLAIN(git);
HD_DECLARE_EXPLAIN(file);

/* Set *p to a success or a failure.  `text` is copied, and truncated if it is too long. */
void hd_probe_works(struct hd_probe *p, const char *text);
void hd_probe_fails(struct hd_probe *p, enum hd_probe_stage stage, int errnum, const char *text);

/*
 * Run fn in a child process, which returns *p through a pipe.  The child and its process group are killed afterwards.
 * If the child gives no answer within HD_PROBE_MS, or cannot be created, p->stage is HD_AT_CHILD.
 */
void hd_probe_in_child(struct hd_probe *p, void (*fn)(struct hd_probe *p, const void *arg), const void *arg);

/*
 * Find a library of hotdrift, and set *path (empty before) to its path.  The order is that of profile.sh: the file
 * named by the environment variable, the file beside the program, the installed one.  Returns false if there is none;
 * *path is then undefined.
 */
bool hd_probe_find_library(struct hd_buf *path, const char *variable, const char *name);

#endif
