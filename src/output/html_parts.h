/*
 * html_parts.h - what the files of html.h share
 */
#ifndef HD_OUTPUT_HTML_PARTS_H
#define HD_OUTPUT_HTML_PARTS_H

#include "base/map.h"
#include "base/strtab.h"
#include "output/html.h"

struct hd_html_frame {
	uint32_t text;
	char class[4];
};

struct hd_html {
	const struct hd_chronicle *c;
	struct hd_strtab *texts;		/* `s` */
	struct hd_html_frame *frames;
	size_t nframes, frames_cap;
	struct hd_map frame_of;			/* text and kind -> frame */
	struct hd_buf trees;
	uint64_t trees_left_out;
};

void hd_html_put_int(struct hd_buf *out, int64_t v);
uint32_t hd_html_text(struct hd_html *h, const char *s);	/* NULL: 0 */
void hd_html_frames(struct hd_html *h, struct hd_buf *out);	/* with its key */

#endif
