/*
 * recording.h - the recording and its file (recording_file.c), and its ticks (ticks.c)
 *
 * The caller of a function holds the recorder's lock, unless the comment of the function says otherwise.
 */
#ifndef HD_PRELOAD_RECORDING_H
#define HD_PRELOAD_RECORDING_H

#include "preload/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct hd_thread;

/* Create the file and hd_recorder.header.  Returns false if the process cannot be recorded. */
bool hd_recording_file_begin(void);
/*
 * Add a block with its header filled, and return its payload of `payload` bytes, which are 0.  n: hd_heap_block.n.
 * Returns NULL if there is no room.
 */
void *hd_recording_file_block(enum hd_heap_block_type type, uint32_t payload, uint32_t n);
/* Add padding, so that the payload of the next block begins at a cache line. */
void hd_recording_file_align(void);
/* Write the whole recording to the file.  The process may go on. */
void hd_recording_file_write(void);
/* Write the whole recording, marked as ended. */
void hd_recording_file_end(void);
/* Mark bytes of the recording as changed, so that the next write includes them.  Needs no lock. */
void hd_recording_file_mark_dirty(const void *p, size_t bytes);
/*
 * Add n to the number of clock readings, and write the changed pages if a write is due.  The caller must not hold the
 * lock.
 */
void hd_recording_file_poll(uint32_t n);
enum { HD_RECORDING_FILE_POLLS = 8 };	/* a thread calls hd_recording_file_poll() once per this many clock readings */

enum {
	HD_LOOK_AFTER = 16 * 1024,	/* number of allocated and freed bytes after which a thread reads the clock */
	/*
	 * bytes that are added to the size of each block, so that a thread that allocates many small blocks also reads
	 * the clock
	 */
	HD_LOOK_BLOCK = 1024
};

/*
 * Start the ticks of a new recording, whose header exists.  A tick is a period; the change of live bytes is recorded
 * per tick.  `child`: the process was forked by a recorded one.
 */
void hd_tick_begin(bool child);
/*
 * Read the clock, and begin a new tick if the last one has lasted long enough.  Every HD_RECORDING_FILE_POLLS calls of
 * a thread, call hd_recording_file_poll(), too.  The caller must not hold the lock.
 */
void hd_tick_look(struct hd_thread *t);
/* Begin a new tick (a period of some ms) if one is due.  Returns true if this call began it. */
bool hd_tick_advance(void);
/*
 * Called before a counter changes for the first time in a tick (a period of some ms).  Add a move to the recording: the
 * change of the counter's live bytes in the tick of its last change.  The caller must not hold the lock.
 */
void hd_tick_record(struct hd_thread *t, struct hd_heap_counter *c, uint32_t tick);

#pragma GCC visibility pop

#endif
