/*
 * kineto_event.c - see kineto_event.h
 */
#include "gpu/kineto_event.h"

#include "base/mem.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* ---- members ---- */

struct field { const char *key; size_t at; };

#define FIELD(key, member) { key, offsetof(struct hd_kineto_event, member) }
static const struct field event_fields[] = {
	FIELD("ph", ph), FIELD("cat", cat), FIELD("name", name), FIELD("ts", ts), FIELD("dur", dur),
	FIELD("pid", pid), FIELD("tid", tid), FIELD("args", args), { 0 },
};
static const struct field arg_fields[] = {
	FIELD("device", device), FIELD("stream", stream), FIELD("context", context),
	FIELD("correlation", correlation), FIELD("bytes", bytes), FIELD("name", title),
	FIELD("full name", full), FIELD("graph id", graph), FIELD("Addr", memory_address),
	FIELD("Bytes", memory_bytes), FIELD("Device Id", memory_device), FIELD("Device Type", memory_type), { 0 },
};

static void look_up(const struct field *fields, struct hd_json_text object, struct hd_kineto_event *e)
{
	const char *at = object.s;
	struct hd_json_text key, value;

	while (hd_json_scan_member(&at, object.s + object.len, &key, &value))
		for (const struct field *f = fields; f->key; f++)
			if (hd_json_text_is(key, f->key)) {
				*(struct hd_json_text *)((char *)e + f->at) = value;
				break;
			}
}

struct hd_json_text hd_kineto_member(struct hd_json_text object, const char *name)
{
	const char *at = object.s;
	struct hd_json_text key, value;

	while (object.len && *object.s == '{' && hd_json_scan_member(&at, object.s + object.len, &key, &value))
		if (hd_json_text_is(key, name))
			return value;
	return (struct hd_json_text){ 0 };
}

int64_t hd_kineto_number(struct hd_json_text t, int64_t fallback)
{
	int64_t v;

	return t.s && hd_json_scan_int(t, 0, &v) ? v : fallback;
}

bool hd_kineto_text_is(struct hd_json_text t, const char *s)
{
	return t.len >= 2 && t.s[0] == '"' && hd_json_text_is((struct hd_json_text){ t.s + 1, t.len - 2 }, s);
}

void hd_kineto_event_members(struct hd_json_text object, struct hd_kineto_event *e)
{
	look_up(event_fields, object, e);
}

void hd_kineto_event_args(struct hd_json_text args, struct hd_kineto_event *e)
{
	look_up(arg_fields, args, e);
}

/* ---- categories ---- */

/*
 * Categories of events and their kinds.  If a kind has several rows, hd_kineto_category_name() returns the category of
 * the first one.
 */
static const struct hd_kineto_category categories[] = {
	{ "kernel", HD_GPU_KERNEL, false, false },
	{ "gpu_graph", HD_GPU_GRAPH, false, false },
	{ "gpu_memcpy", HD_GPU_COPY, false, false },
	{ "memcpy", HD_GPU_COPY, false, false },
	{ "gpu_memset", HD_GPU_SET, false, false },
	{ "memset", HD_GPU_SET, false, false },
	{ "cuda_runtime", HD_GPU_LAUNCH, false, false },
	{ "cuda_driver", HD_GPU_LAUNCH, false, false },
	{ "runtime", HD_GPU_LAUNCH, false, false },
	{ "user_annotation", HD_GPU_RANGE, false, false },
	{ "cpu_op", HD_GPU_RANGE, false, false },
	{ "operator", HD_GPU_RANGE, false, false },
	{ "python_function", HD_GPU_RANGE, true, false },
	{ "trace", HD_GPU_RANGE, false, true },
};

const struct hd_kineto_category *hd_kineto_category_of(struct hd_json_text category)
{
	if (category.len < 2)
		return NULL;
	for (size_t i = 0; i < HD_COUNT(categories); i++)
		if (category.len - 2 == strlen(categories[i].name) &&
		    !strncasecmp(category.s + 1, categories[i].name, category.len - 2))
			return &categories[i];
	return NULL;
}

const char *hd_kineto_category_name(enum hd_gpu_kind kind)
{
	for (size_t i = 0; i < HD_COUNT(categories); i++)
		if (categories[i].kind == kind)
			return categories[i].name;
	return NULL;
}

/* ---- names of copies ---- */

/*
 * Directions of copies whose names differ from those in profile/gpu.h: copies from and to arrays (A), which are device
 * memory, and the long names of ROCm.
 */
static const struct { const char *name; enum hd_gpu_copy copy; } directions[] = {
	{ "HtoA", HD_GPU_HTOD }, { "AtoH", HD_GPU_DTOH }, { "AtoD", HD_GPU_DTOD }, { "DtoA", HD_GPU_DTOD },
	{ "AtoA", HD_GPU_DTOD },
	{ "HostToDevice", HD_GPU_HTOD }, { "DeviceToHost", HD_GPU_DTOH }, { "DeviceToDevice", HD_GPU_DTOD },
	{ "HostToHost", HD_GPU_HTOH },
};

/* Try the kinds from the last to the first, because the name "device static" contains "device". */
static enum hd_gpu_memory_kind memory_kind(const char *s)
{
	int kind = HD_GPU_MEMORY_KINDS - 1;

	while (kind > HD_GPU_MEM_UNKNOWN && !strcasestr(s, hd_gpu_memory_kind_name((enum hd_gpu_memory_kind)kind)))
		kind--;
	return (enum hd_gpu_memory_kind)kind;
}

/* Try the directions from the last to the first, because the name "UVM HtoD" contains "HtoD". */
static enum hd_gpu_copy direction(const char *s)
{
	int copy = HD_GPU_COPIES - 1;

	while (copy > HD_GPU_COPY_UNKNOWN && !strstr(s, hd_gpu_copy_name((enum hd_gpu_copy)copy)))
		copy--;
	for (size_t i = 0; i < HD_COUNT(directions) && copy == HD_GPU_COPY_UNKNOWN; i++)
		if (strstr(s, directions[i].name))
			copy = directions[i].copy;
	return (enum hd_gpu_copy)copy;
}

void hd_kineto_parse_copy(struct hd_gpu_activity *a, char *name)
{
	char *open = strchr(name, '('), *arrow = open ? strstr(open, "->") : NULL;

	a->copy = (uint8_t)(a->kind == HD_GPU_COPY ? direction(name) : HD_GPU_COPY_UNKNOWN);
	if (arrow) {
		*arrow = '\0';
		a->from = (uint8_t)memory_kind(open);
	}
	if (open)
		a->to = (uint8_t)memory_kind(arrow ? arrow + 1 : open);
}
