/*
 * kineto_event.h - one event of a Kineto trace: its members, its category, and the name of a copy
 *
 * kineto.h lists the categories.  render/trace_export.h writes the same categories, so that a trace that hotdrift
 * writes can be read again.
 */
#ifndef HD_GPU_KINETO_EVENT_H
#define HD_GPU_KINETO_EVENT_H

#include "base/json_scan.h"
#include "gpu/activity.h"

/* The members of an event that the reader uses.  If the event lacks a member, its text pointer `s` is NULL. */
struct hd_kineto_event {
	struct hd_json_text ph, cat, name, ts, dur, pid, tid, args;
	/* members of "args" */
	struct hd_json_text device, stream, context, correlation, bytes, title, full, graph, memory_address,
		memory_bytes, memory_device, memory_type;
};

/* Find the members of an event that the reader uses, or those of its "args".  The result points into the text. */
void hd_kineto_event_members(struct hd_json_text object, struct hd_kineto_event *e);
void hd_kineto_event_args(struct hd_json_text args, struct hd_kineto_event *e);
/* Return a member of a JSON object.  If there is none, `s` of the result is NULL. */
struct hd_json_text hd_kineto_member(struct hd_json_text object, const char *name);
/* Return the integer, or `fallback` if the text is none. */
int64_t hd_kineto_number(struct hd_json_text t, int64_t fallback);
/* Return true if `t` is the JSON string `s`. */
bool hd_kineto_text_is(struct hd_json_text t, const char *s);

/* A category of events with a duration. */
struct hd_kineto_category {
	const char *name;
	enum hd_gpu_kind kind;		/* kind of the activity that the event becomes */
	bool frame;			/* a Python function: it is only a frame of launch stacks */
	bool span;			/* the span of the recording: it is no activity */
};

/* Return the category with this name, in upper or lower case, or NULL if the reader skips it. */
const struct hd_kineto_category *hd_kineto_category_of(struct hd_json_text category);
/* Return the name of the category of activities of this kind, or NULL if there is none. */
const char *hd_kineto_category_name(enum hd_gpu_kind kind);

/*
 * Set copy, from and to of an activity, whose kind is set already, by the event's name, such as "Memcpy HtoD (Pageable
 * -> Device)" or "Memset (Device)".  The function modifies `name`.
 */
void hd_kineto_parse_copy(struct hd_gpu_activity *a, char *name);

#endif
