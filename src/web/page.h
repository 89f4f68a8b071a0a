/*
 * page.h - a page that needs nothing else: a skeleton, its pieces, and the policy that lets nothing but them run
 *
 * The skeleton is a file of src/web/html/; a line of it that is only @NAME@ is replaced by the
 * piece of that name, or by nothing when that is empty.
 */
#ifndef HD_WEB_PAGE_H
#define HD_WEB_PAGE_H

#include "base/buf.h"
#include "base/file.h"

struct hd_page_piece {
	const char *name, *before;
	const struct hd_buf *text;
	const char *after;
};

/* The text of the piece "policy" begins with this and goes on with the hash of each script. */
#define HD_PAGE_POLICY "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; " \
		       "base-uri 'none'; form-action 'none'; script-src"

void hd_page_hash(struct hd_buf *policy, const struct hd_buf *script); /* of all between <script> and its end */
void hd_page_write(struct hd_outfile *out, const char *skeleton, const struct hd_page_piece *pieces, size_t n);

#endif
