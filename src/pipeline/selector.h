/*
 * selector.h - the shared selection, compiled: which samples are wanted
 *
 * What a sample says of itself (event, ids, cpu, time) is asked per sample;
 * names are asked once per distinct name by the caller, who keeps the answer.
 */
#ifndef HD_PIPELINE_SELECTOR_H
#define HD_PIPELINE_SELECTOR_H

#include "base/err.h"
#include "pipeline/options.h"

struct hd_filter;

struct hd_number_list {
	uint64_t *items;
	size_t n;
};

struct hd_selector {
	const struct hd_selection *opts;
	struct hd_number_list pid, tid, cpu;
	struct hd_filter *filter;	/* --filter, or NULL */
	uint64_t from_ns, to_ns;	/* inclusive; 0 and UINT64_MAX when open */
	bool by_time;
	bool any;			/* some per-sample rule is there */
	bool by_name;			/* a rule about comm, or a filter */
};

int hd_selector_init(struct hd_selector *s, const struct hd_selection *opts, struct hd_err *err);
void hd_selector_release(struct hd_selector *s);

bool hd_selector_ids(const struct hd_selector *s, int32_t pid, int32_t tid, uint32_t cpu);
bool hd_selector_time(const struct hd_selector *s, uint64_t time_ns);
bool hd_selector_event(const struct hd_selector *s, const char *name);
bool hd_selector_comm(const struct hd_selector *s, const char *comm);
bool hd_selector_dso(const struct hd_selector *s, const char *path);
bool hd_selector_symbol(const struct hd_selector *s, const char *display, const char *linkage);

/*
 * --strip-version: hd_symbol_normalise, then without @VERSION.  A fresh string.
 * foo@plt is no version, nor is what a script's name has behind an @ when it is
 * more than a word.
 */
char *hd_selector_strip_version(const char *linkage);

#endif
