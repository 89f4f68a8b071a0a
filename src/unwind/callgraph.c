/*
 * callgraph.c - see callgraph.h
 */
#include "unwind/callgraph.h"

#include "base/encode.h"
#include "base/file.h"
#include "unwind/frame_pointer_use.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * KEPT_ENOUGH: `fp` is chosen if kept_pct() is at least this percentage.  A few per cent of a program may be assembly
 * code without frame pointers.  COVERED_ENOUGH: otherwise `dwarf` is chosen if at least this percentage of the tested
 * addresses has CFI.  It is low because startup code has no CFI and dominates small programs.
 */
enum { KEPT_ENOUGH = 90, COVERED_ENOUGH = 25 };

const char *hd_call_graph_name(enum hd_call_graph how)
{
	static const char *const names[] = { "fp", "dwarf", "none" };

	return names[how];
}

static int read_file(struct hd_frame_pointer_use *k, const char *path, struct hd_err *err)
{
	struct hd_elf *e;
	int fd = hd_file_open(path, err), rc;

	if (fd < 0)
		return fd;
	rc = hd_elf_open(&e, fd, path, NULL, err);
	if (rc < 0)
		return rc;
	hd_frame_pointer_use_read(k, e);
	hd_elf_close(e);
	return 0;
}

/*
 * Return the percentage of the tested addresses whose function keeps the frame pointer.  Functions without a frame do
 * not count.  Go code always keeps the frame pointer.
 */
static unsigned kept_pct(const struct hd_frame_pointer_use *k)
{
	return k->go ? 100 : k->framed ? (unsigned)((uint64_t)k->kept * 100 / k->framed) : 0;
}

static enum hd_call_graph judge(const struct hd_frame_pointer_use *k)
{
	bool described = k->looks && (uint64_t)k->covered * 100 >= (uint64_t)k->looks * COVERED_ENOUGH;

	if (kept_pct(k) >= KEPT_ENOUGH)
		return HD_CALL_GRAPH_FP;
	return described && k->machine ? HD_CALL_GRAPH_DWARF : HD_CALL_GRAPH_NONE;
}

static void explain(struct hd_buf *why, const struct hd_frame_pointer_use *k, const char *path, enum hd_call_graph how)
{
	char link[PATH_MAX];
	const char *real = realpath(path, link) ? link : path;	/* resolve /proc/PID/exe to the file */
	const char *name = strrchr(real, '/');

	hd_enc_visible(why, name ? name + 1 : real, strlen(name ? name + 1 : real));
	if (k->go)
		hd_buf_adds(why, " is built by Go, which keeps frame pointers");
	else if (how == HD_CALL_GRAPH_FP)
		hd_buf_addf(why, " keeps frame pointers in %u %% of its code with stack frames", kept_pct(k));
	else if (how == HD_CALL_GRAPH_DWARF)
		hd_buf_addf(why, " keeps frame pointers in %u %% of its code with stack frames, and has unwind tables",
			kept_pct(k));
	else
		hd_buf_adds(why, " has neither frame pointers nor unwind tables that cover it");
}

int hd_call_graph_choose(enum hd_call_graph *how, struct hd_buf *why, const char *const *paths, size_t n,
			 struct hd_err *err)
{
	struct hd_frame_pointer_use worst = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		struct hd_frame_pointer_use k;
		int rc = read_file(&k, paths[i], err);

		if (rc < 0)
			return rc;
		if (!i || kept_pct(&k) < kept_pct(&worst)) {
			worst = k;
			at = i;
		}
	}
	*how = judge(&worst);
	explain(why, &worst, paths[at], *how);
	return 0;
}
