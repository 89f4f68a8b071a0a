/*
 * history_page_builder.h - what the files of history_page.h share
 */
#ifndef HD_WEB_HISTORY_PAGE_BUILDER_H
#define HD_WEB_HISTORY_PAGE_BUILDER_H

#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"

struct hd_overview;

struct hd_history_page_frame {
	uint32_t text;
	char class[4];
};

struct hd_history_page {
	const struct hd_overview *c;
	struct hd_strtab *texts;		/* `s` */
	struct hd_history_page_frame *frames;
	size_t nframes, frames_cap;
	struct hd_map frame_of;			/* text and kind -> frame */
	struct hd_buf trees;
	uint64_t trees_left_out;
};

void hd_history_page_put_int(struct hd_buf *out, int64_t v);
uint32_t hd_history_page_text(struct hd_history_page *h, const char *s);	/* NULL: 0 */
void hd_history_page_frames(struct hd_history_page *h, struct hd_buf *out);	/* with its key */

#endif
