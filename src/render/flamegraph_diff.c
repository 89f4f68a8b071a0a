/*
 * flamegraph_diff.c - see flamegraph_diff.h
 */
#include "render/flamegraph_diff.h"

#include "render/palette.h"
#include "render/unit_text.h"

#include <math.h>

/* Return a share in per cent. */
static double share_of(const struct hd_difference *d, uint32_t node, unsigned side)
{
	return d->weight[side] ? 100 * (double)d->nodes[node].total[side] / (double)d->weight[side] : 0;
}

static struct hd_difference_row row(const struct hd_flamegraph_diff *b, uint32_t node)
{
	const struct hd_difference *d = b->d;

	return hd_difference_at(d, d->place[HD_HEAD][node]);
}

void hd_flamegraph_diff_init(struct hd_flamegraph_diff *b, const struct hd_difference *d)
{
	*b = (struct hd_flamegraph_diff){ .d = d };
	for (uint32_t i = 1; d && i < d->nnodes; i++) {
		const struct hd_difference_node *n = &d->nodes[i];

		if (n->total[HD_HEAD]) {
			double points = fabs(share_of(d, i, HD_HEAD) * d->scale - share_of(d, i, HD_BASE));

			/* The test is expensive, so it is done only for a possible maximum. */
			if (points > b->most) {
				struct hd_difference_row r = hd_difference_at(d, i);

				b->most = r.significant || isnan(r.p) ? points : b->most;
			}
		} else {
			b->gone_frames++;
			b->gone += d->weight[HD_BASE] ? (double)n->self[HD_BASE] / (double)d->weight[HD_BASE] * 100 : 0;
		}
	}
}

bool hd_flamegraph_diff_class(const struct hd_flamegraph_diff *b, char class[4], uint32_t node)
{
	struct hd_difference_row r;
	bool known;

	if (!b->d)
		return false;
	r = row(b, node);
	known = b->d->samples[HD_BASE] > 0 && b->d->samples[HD_HEAD] > 0;
	hd_palette_change(class, r.cost_points, b->most, known && !r.significant);
	return true;
}

void hd_flamegraph_diff_text(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node)
{
	const struct hd_difference *d = b->d;
	double was, now;

	if (!d)
		return;
	was = share_of(d, d->place[HD_HEAD][node], HD_BASE);
	now = share_of(d, d->place[HD_HEAD][node], HD_HEAD);
	hd_buf_addf(out, ", base %.2f%%, %+.2f points", was, now - was);
}

void hd_flamegraph_diff_data(struct hd_buf *out, const struct hd_flamegraph_diff *b, uint32_t node)
{
	hd_buf_addu(out, (uint64_t)llround(share_of(b->d, b->d->place[HD_HEAD][node], HD_BASE) * 100));
}

void hd_flamegraph_diff_note(struct hd_buf *out, const struct hd_flamegraph_diff *b)
{
	if (!b->d || !b->gone_frames)
		return;
	hd_buf_adds(out, "; of the base only: ");
	hd_unit_text_count(out, b->gone_frames);
	hd_buf_addf(out, " frame%s (%.2f%%)", b->gone_frames == 1 ? "" : "s", b->gone);
}
