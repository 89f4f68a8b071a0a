/*
 * recording.h - the recording and its file (recording_file.c), and its ticks (ticks.c)
 *
 * The caller holds the lock unless the contract says otherwise.
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
/* Add a block with its header filled, and return its payload; NULL if there is no room. */
void *hd_recording_file_block(enum hd_heap_block_type type, uint32_t payload, uint32_t n);
/* Add padding, so that the payload of the next block begins at a cache line. */
void hd_recording_file_align(void);
/* Write the whole recording to the file.  The process may go on. */
void hd_recording_file_write(void);
/* Write the whole recording, marked as ended. */
void hd_recording_file_end(void);
/* Mark changed bytes of the recording, which the next write must contain.  Needs no lock. */
void hd_recording_file_mark_dirty(const void *p, size_t bytes);
/*
 * Add n to the count of clock readings, and write the changed pages if a write is due.  The caller does not hold the
 * lock.
 */
void hd_recording_file_poll(uint32_t n);
enum { HD_RECORDING_FILE_POLLS = 8 };	/* clock readings of a thread between two polls */

enum {
	HD_LOOK_AFTER = 16 * 1024,	/* a thread reads the clock after so many allocated bytes; */
	/* HD_LOOK_BLOCK: added to the size of each block, so that many small blocks count as well */
	HD_LOOK_BLOCK = 1024
};

/* Start the ticks of a new recording, whose header exists.  `child`: the process was forked by a recorded one. */
void hd_tick_begin(bool child);
/* Read the clock and begin a new tick if one is due.  The caller does not hold the lock. */
void hd_tick_look(struct hd_thread *t);
/* Begin a new tick if one is due.  Returns true if this call began it. */
bool hd_tick_advance(void);
/*
 * Record the move of a counter that is about to change for the first time in this tick.  The caller does not hold the
 * lock.
 */
void hd_tick_record(struct hd_thread *t, struct hd_heap_counter *c, uint32_t tick);

#pragma GCC visibility pop

#endif
