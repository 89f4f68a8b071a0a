/* history_page_builder.h - the state of a history page, shared by the files that implement history_page.h */
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
	struct hd_strtab *texts;		/* member `s` of the data */
	struct hd_history_page_frame *frames;
	size_t nframes, frames_cap;
	struct hd_map frame_of;			/* (text, kind) -> index in the member `frames` of the data */
	struct hd_buf trees;
	uint64_t trees_left_out;
};

void hd_history_page_put_int(struct hd_buf *out, int64_t v);
uint32_t hd_history_page_text(struct hd_history_page *h, const char *s);	/* index of a text; 0 for NULL */
void hd_history_page_frames(struct hd_history_page *h, struct hd_buf *out);	/* append ,"frames":[...] */

#endif
