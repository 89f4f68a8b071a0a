/*
 * injection.h - the interface between the files of inject/, which are libhotdrift-cuda.so
 *
 *     injection.c          called by the driver: settings, libcupti, what is recorded; the process end
 *     launch.c             calls that put work on a GPU: the marker, their times and stacks
 *     activity_records.c   buffers of CUPTI's activity records -> records of the trace
 *     modules.c            the loaded programs and libraries, to which the addresses of stacks belong
 *     trace_file.c         the trace and its file
 *
 * The library runs in processes of programs that use CUDA.  It never ends the process, writes to its stdout, keeps a
 * descriptor open or changes errno.  If something fails, the program continues.  The trace then has the reason why it
 * is empty; if no trace can be written, one line on stderr has the reason.  If the file that HOTDRIFT_CUDA_OUT names
 * exists, the trace gets another name, and a line on stderr has that name.
 *
 * Locks: the lock of trace_file.c protects the trace.  A thread that holds it may call no function of CUPTI except
 * cuptiActivityGetNextRecord(), which takes no lock.  The other locks, of activity_records.c and injection.c, are not
 * held during a call to CUPTI or to another file.
 */
#ifndef HD_INJECT_INJECTION_H
#define HD_INJECT_INJECTION_H

#include "inject/cupti.h"
#include "inject/format.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define EXPORT __attribute__((visibility("default")))

/* ---- injection.c ---- */

extern struct hd_cupti hd_cupti;		/* callable after InitializeInjection() loaded libcupti */
/*
 * This flag is true while activities are recorded.  It is false in a forked child, which cannot use the GPU context of
 * its parent.
 */
extern _Atomic bool hd_recording;
uint64_t hd_injection_now(void);				/* CLOCK_MONOTONIC */

/* ---- trace_file.c ---- */

struct hd_stderr_line { char s[512]; size_t n; };	/* a line for stderr */
/*
 * Create the trace file.  "%p" in `name` stands for the pid.  If the file cannot be created, return false, and `say`
 * has the reason.  If a file of that name exists, the trace is called NAME.PID or NAME.PID.N: return true, and `say`
 * has a message with that name.  Otherwise `say` is unchanged.  The caller passes an empty `say`.
 */
bool hd_trace_file_begin(const char *name, struct hd_stderr_line *say);
/* Write the header at the start of the file, also over an earlier one.  Returns false if that fails. */
bool hd_trace_file_header(const struct hd_cuda_header *h);
/* Remove the trace file, because its header could not be written; `say` gets the reason. */
void hd_trace_file_remove(struct hd_stderr_line *say);
/*
 * Return room for a record of `bytes`, or NULL if the trace has ended, there is no room, or the record has more than
 * 65535 bytes.  The size is rounded up to a multiple of 8.  The head of the record is filled in and the rest is zero.
 * If the buffer is full, it is written first.  The caller holds the lock and fills in the record before the next call
 * of a function of trace_file.c, which may write the buffer.
 */
void *hd_trace_file_record(enum hd_cuda_type type, size_t bytes, uint32_t n);
extern uint64_t hd_trace_file_dropped;			/* number of records for which there was no room */
/* Record a text.  Returns false if there is no room or the trace has ended. */
bool hd_trace_file_text(enum hd_cuda_type type, uint32_t n, const char *text, size_t len);
void hd_trace_file_write(void);			/* write all buffered records; the caller holds the lock */
/*
 * Take the lock of the trace.  Returns false if nothing is recorded, or if this thread holds the lock already (in a
 * signal handler).
 */
bool hd_trace_file_lock(void);
void hd_trace_file_unlock(void);
/* Write the line to stderr.  A failure is ignored. */
void hd_stderr_line_print(const struct hd_stderr_line *t);
void hd_stderr_line_add(struct hd_stderr_line *t, const char *s);
void hd_stderr_line_add_number(struct hd_stderr_line *t, uint64_t v);

/* ---- launch.c ---- */

void hd_launch_begin(bool stacks);
void hd_launch_call(void *user, uint32_t domain, uint32_t cbid, const void *data);	/* a callback of CUPTI's */
extern uint64_t hd_launch_count;			/* launches in the trace; guarded by the lock */

/* ---- activity_records.c ---- */

void hd_activity_records_begin(uint32_t cupti_version);
void hd_activity_records_request(uint8_t **buffer, size_t *bytes, size_t *max_records);
void hd_activity_records_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
/* Record the number of lost records if it has changed.  The caller holds the lock. */
void hd_activity_records_lost(void);

/* ---- modules.c ---- */

/*
 * Record the programs and libraries that were loaded since the last call.  If the trace has no room for one, the next
 * call tries again.  Returns true if stacks have to be recorded again, because an object was unloaded or the last call
 * had no room for one.  The caller holds the lock of the trace.
 */
bool hd_modules_update(void);

/* ---- a set of hashes, each with an id ---- */

struct hd_hash_ids {
	struct { uint64_t hash; uint32_t id; } slot[16384];
	/* used: slots that are in use; last: the highest id so far; newest: the slot that has it */
	uint32_t used, last, newest;
};
void hd_hash_ids_clear(struct hd_hash_ids *t);		/* later ids continue to rise */
/*
 * Return the id of the stack or text with this hash.  If it has none yet, it gets the next id and *is_new becomes true,
 * otherwise false.  Before a new hash is added to a table that is 3/4 full, the table is emptied.  So a hash can get a
 * second id.
 */
uint32_t hd_hash_ids_get(struct hd_hash_ids *t, uint64_t hash, bool *is_new);
/*
 * Remove the hash and the id that the last call of hd_hash_ids_get() added, because the trace had no room for their
 * record.
 */
void hd_hash_ids_take_back(struct hd_hash_ids *t);
uint64_t hd_hash_ids_hash(const void *p, size_t n);

#pragma GCC visibility pop

#endif
