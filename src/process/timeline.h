/*
 * timeline.h - what holds when: many owners, each with its moments in order
 *
 * A moment says what is true of its owner (a thread, a process, the kernel)
 * from its time on, until the owner's next one.  Moments are pushed in order
 * of time, owners mixed; hd_timeline_freeze sorts them by owner; then
 * hd_timeline_at finds the one that holds, at once when questions move
 * forwards by little, else by bisection.
 *
 * "From its time on" leaves out the time itself: a question at (time, seq)
 * sees the moments before it, and the record that asks is never one of them.
 */
#ifndef HD_PROCESS_TIMELINE_H
#define HD_PROCESS_TIMELINE_H

#include "base/record_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_timeline_entry {
	struct hd_record_time when;
	uint32_t owner;
	uint32_t a, b;			/* the owner's: what holds */
	int32_t pid;
};

/* Zero-initialise. */
struct hd_timeline {
	struct hd_timeline_entry *items;
	size_t n, cap;
	uint32_t *first;		/* per owner and one past: its moments are items[first[o] .. first[o + 1]) */
	uint32_t *cursor; /* per owner: the answer of its last question, one past it; first[o] is "none yet" */
	size_t owners;
};

void hd_timeline_release(struct hd_timeline *tl);
void hd_timeline_push(struct hd_timeline *tl, const struct hd_timeline_entry *m);
void hd_timeline_freeze(struct hd_timeline *tl, size_t owners);

/*
 * The owner's newest moment before `when`, or NULL.  *until, when not NULL, is
 * made no later than the owner's next moment: questions up to and with it have
 * the same answer.
 */
const struct hd_timeline_entry *hd_timeline_at(struct hd_timeline *tl, uint32_t owner, struct hd_record_time when,
				       struct hd_record_time *until);

#endif
