/*
 * tracing_data.h - make a record of tracing data with the formats of tracepoints of some systems, in either byte order
 */
#ifndef TESTS_UNIT_PIPELINE_TRACING_H
#define TESTS_UNIT_PIPELINE_TRACING_H

#include "unit/perfdata/synthetic_recording.h"

struct tracing_system {
	const char *name;
	const char *format[2];		/* the second one may be NULL */
};

static inline void tracing_system(struct image *im, const struct tracing_system *s)
{
	put(im, s->name, strlen(s->name) + 1);
	u32(im, s->format[1] ? 2 : 1);
	for (int i = 0; i < 2 && s->format[i]; i++) {
		u64(im, strlen(s->format[i]));
		put(im, s->format[i], strlen(s->format[i]));
	}
}

static inline void tracing_record(struct image *im, const struct tracing_system systems[2])
{
	struct image td = { .swap = im->swap };
	size_t r;

	put(&td, "\x17\x08\x44tracing0.6", 14);
	put(&td, im->swap ? "\1\10" : "\0\10", 2);
	u32(&td, 4096);
	put(&td, "header_page", 12);
	u64(&td, 0);
	put(&td, "header_event", 13);
	u64(&td, 0);
	u32(&td, 0);
	u32(&td, 2);
	tracing_system(&td, &systems[0]);
	tracing_system(&td, &systems[1]);
	r = rec(im, HD_RT_TRACING_DATA, 0);
	u32(im, (uint32_t)td.b.len);
	end(im, r);
	put(im, td.b.data, td.b.len);
	text(im, "", -td.b.len & 7);
	hd_buf_release(&td.b);
}

#endif
