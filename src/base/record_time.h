/*
 * record_time.h - the time of a record, as a sort key
 */
#ifndef HD_BASE_RECORD_TIME_H
#define HD_BASE_RECORD_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct hd_record_time {
	uint64_t time_ns;		/* 0 if not recorded: such records sort first */
	uint64_t seq;			/* position of the record in the file; orders records with equal times */
};

static inline bool hd_record_time_before(struct hd_record_time a, struct hd_record_time b)
{
	return a.time_ns < b.time_ns || (a.time_ns == b.time_ns && a.seq < b.seq);
}

#endif
