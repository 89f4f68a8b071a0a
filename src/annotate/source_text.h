/*
 * source_text.h - find and read the source files that debug information names
 *
 * For a recorded path P, the first of these that is a readable regular file is used:
 *
 *     1. P with its start FROM replaced by TO, by the --substitute-path rule with the longest FROM that fits
 *     2. FOLDER/P for each --source-prefix folder.  First, `prefix_strip` leading folders are removed from P, then one
 *        more for each further try, so that FOLDER can be the root of a checkout
 *     3. P below --symfs, if P is absolute
 *     4. P, if it is absolute
 *
 * Debug information is untrusted: it could name a private key, and an annotated page may be published.  So steps 3 and
 * 4 read only files with the suffix of a source file, and headers of /usr/include (those of C++ have no suffix).  Files
 * of the kernel (/proc, /sys), special files and files of more than HD_SOURCE_TEXT_MAX bytes are never read.
 */
#ifndef HD_ANNOTATE_SOURCE_TEXT_H
#define HD_ANNOTATE_SOURCE_TEXT_H

#include "annotate/annotation.h"

enum { HD_SOURCE_TEXT_MAX = 16 << 20 };

/*
 * Where to search for source files.  object_mtime_ns is the modification time of the object's file, 0 if unknown: a
 * source file that is newer may be another version.
 */
struct hd_source_query {
	const struct hd_annotate_opts *opts;
	const char *symfs;
	int64_t object_mtime_ns;
};

/* Fill in read_from, text, nlines and problem of `f`; f->path must be set.  The text is allocated in `arena`. */
void hd_source_text_read(struct hd_annotation_file *f, const struct hd_source_query *q, struct hd_arena *arena);

#endif
