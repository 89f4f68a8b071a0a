/*
 * gpu_timeline.c - see gpu_timeline.h
 */
#include "render/gpu_timeline.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/assets.h"
#include "render/palette.h"
#include "render/unit_text.h"
#include "profile/gpu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in user units of the picture, which are px at its natural width. */
enum {
	WIDTH = 1200, LEFT = 84, RIGHT = 16, TOP = 34, PLOT = WIDTH - LEFT - RIGHT, DEVICES = 16,
	HEAD = 24, COMPUTE = 44, COPY = 22, LONGEST = 18, GAPS = 10, SPACE = 5,
	BAND = HEAD + COMPUTE + COPY + LONGEST + GAPS + 4 * SPACE + 14, AXIS = 40, TICKS = 10,
};

/* The period of time that the picture shows. */
struct axis { int64_t start_ns; uint64_t length_ns; };

static struct axis axis_of(const struct hd_gpu *g)
{
	struct axis a = { 0 };
	int64_t end = 0;
	bool any = false;

	for (size_t i = 0; i < g->ndevices; i++) {
		const struct hd_gpu_busy *w = &g->devices[i].active;

		if (!hd_gpu_window(w))
			continue;
		if (!any || w->start_ns < a.start_ns)
			a.start_ns = w->start_ns;
		if (!any || w->end_ns > end)
			end = w->end_ns;
		any = true;
	}
	a.length_ns = any ? (uint64_t)end - (uint64_t)a.start_ns : 0;
	return a;
}

bool hd_gpu_timeline_has(const struct hd_profile *p)
{
	return p->gpu && axis_of(p->gpu).length_ns > 0;
}

/* Return the x coordinate of a time. */
static double x_of(const struct axis *a, int64_t ns)
{
	double part = ns <= a->start_ns ? 0 : (double)((uint64_t)ns - (uint64_t)a->start_ns) / (double)a->length_ns;

	return LEFT + PLOT * (part > 1 ? 1 : part);
}

static void put_time(struct hd_buf *out, uint64_t ns)
{
	struct hd_buf b = { 0 };

	hd_unit_text_add(&b, ns, "ns");
	hd_enc_xml(out, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
}

static void put_name(struct hd_buf *out, const struct hd_profile *p, uint32_t name)
{
	const char *text = name ? hd_profile_str(p, name) : "?";

	hd_enc_xml(out, text, strlen(text));
}

/* Draw how busy the device was over time, as an area.  of: returns the busy time in a bucket of the time axis. */
static void put_area(struct hd_buf *out, const struct axis *a, const struct hd_gpu_device *d, const char *class,
		     int top, int height, uint64_t (*of)(const struct hd_gpu_bucket *b))
{
	double bottom = top + height, last = -1;

	hd_buf_addf(out, "<path class=\"%s\" d=\"M%.2f %.2f", class, x_of(a, d->timeline_ns), bottom);
	for (size_t i = 0; i < d->nbuckets; i++) {
		double part = d->bucket_ns ? (double)of(&d->buckets[i]) / (double)d->bucket_ns : 0;
		double y = bottom - height * (part > 1 ? 1 : part);

		if (y != last)
			hd_buf_addf(out, "H%.2fV%.2f", x_of(a, d->timeline_ns + (int64_t)(i * d->bucket_ns)), y);
		last = y;
	}
	hd_buf_addf(out, "H%.2fV%.2fZ\"/>\n", x_of(a, d->active.end_ns), bottom);
}

static uint64_t compute_of(const struct hd_gpu_bucket *b) { return b->compute_ns; }
static uint64_t copy_of(const struct hd_gpu_bucket *b) { return b->copy_ns; }

static void put_label(struct hd_buf *out, int y, const char *text)
{
	hd_buf_addf(out, "<text class=\"hd-lane\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT - 8, y, text);
	hd_buf_addf(out, "<path class=\"hd-base\" d=\"M%d %d.5H%d\"/>\n", LEFT, y + 4, WIDTH - RIGHT);
}

/*
 * Begin a box, which is at least half a unit wide, so that it is visible.  The caller appends the text of its tooltip
 * and `</title></g>`.
 */
static void put_box(struct hd_buf *out, const struct axis *a, const char *class, int64_t start_ns, int64_t end_ns,
		    int top, int height)
{
	double x = x_of(a, start_ns), width = x_of(a, end_ns) - x;

	hd_buf_addf(out, "<g><rect class=\"%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"/><title>",
		    class, x, top, width < 0.5 ? 0.5 : width, height);
}

/* Return one of five shades, chosen by name, so that operations with the same name have the same shade. */
static const char *shade_of(const struct hd_profile *p, uint32_t name)
{
	static const char *const shades[] = { "hd-kernel", "hd-kernel hd-s1", "hd-kernel hd-s2", "hd-kernel hd-s3",
					      "hd-kernel hd-s4" };
	char class[4];

	hd_palette_class(class, HD_PALETTE_KIND_USER, hd_profile_str(p, name));
	return shades[strtoul(class + 1, NULL, 10) % HD_COUNT(shades)];
}

static void put_longest(struct hd_buf *out, const struct hd_profile *p, const struct axis *a,
			const struct hd_gpu_device *d, int top)
{
	/* indexed by kind; [0] is NULL, because kernels are coloured by name */
	static const char *const classes[] = { NULL, "hd-copy", "hd-set" };

	for (size_t i = 0; i < d->nlongest; i++) {
		const struct hd_gpu_span *s = &d->longest[i];

		const char *class = s->kind < HD_COUNT(classes) ? classes[s->kind] : NULL;

		put_box(out, a, class ? class : shade_of(p, s->name), s->start_ns, s->end_ns, top, LONGEST);
		put_name(out, p, s->name);
		hd_buf_adds(out, "\n");
		put_time(out, (uint64_t)(s->end_ns - s->start_ns));
		hd_buf_adds(out, " at ");
		put_time(out, (uint64_t)s->start_ns - (uint64_t)a->start_ns);
		hd_buf_addf(out, ", stream %u</title></g>\n", s->stream);
	}
}

static void put_gaps(struct hd_buf *out, const struct hd_profile *p, const struct axis *a,
		     const struct hd_gpu_device *d, int top)
{
	for (size_t i = 0; i < d->ngaps; i++) {
		const struct hd_gpu_gap *g = &d->gaps[i];

		put_box(out, a, "hd-gap", g->start_ns, g->end_ns, top, GAPS);
		hd_buf_adds(out, "idle for ");
		put_time(out, (uint64_t)(g->end_ns - g->start_ns));
		hd_buf_adds(out, " after ");
		put_name(out, p, g->before);
		for (int k = 0; k < HD_GPU_GAP_CALLS && g->call[k]; k++) {
			hd_buf_adds(out, k ? ", " : "\non the CPU: ");
			put_name(out, p, g->call[k]);
			hd_buf_addc(out, ' ');
			put_time(out, g->call_ns[k]);
		}
		hd_buf_adds(out, "</title></g>\n");
	}
}

static void put_device(struct hd_buf *out, const struct hd_profile *p, const struct axis *a,
		       const struct hd_gpu_device *d, int top)
{
	const struct hd_gpu_busy *w = &d->active;
	int y = top + HEAD;

	hd_buf_addf(out, "<text class=\"hd-device\" x=\"%d\" y=\"%d\">GPU %u ", LEFT, top + 15, d->id);
	if (d->name)
		put_name(out, p, d->name);
	hd_buf_addf(out,
		    "<tspan class=\"hd-mute\" dx=\"10\">compute %.1f %%, copy %.1f %%, overlap %.1f %%, idle %.1f "
		    "%%</tspan></text>\n",
		    hd_gpu_percent(w->compute_ns, w), hd_gpu_percent(w->copy_ns, w), hd_gpu_percent(w->overlap_ns, w),
		    hd_gpu_percent(w->idle_ns, w));
	put_label(out, y + COMPUTE - 4, "compute");
	put_area(out, a, d, "hd-kernel", y, COMPUTE, compute_of);
	y += COMPUTE + SPACE;
	put_label(out, y + COPY - 4, "copy");
	put_area(out, a, d, "hd-copy", y, COPY, copy_of);
	y += COPY + SPACE;
	put_label(out, y + LONGEST - 4, "longest");
	put_longest(out, p, a, d, y);
	y += LONGEST + SPACE;
	put_label(out, y + GAPS - 4, "gaps");
	put_gaps(out, p, a, d, y);
}

/* Return 1, 2 or 5 times a power of ten, so that the axis has about TICKS ticks. */
static uint64_t tick_of(uint64_t length_ns)
{
	static const uint64_t steps[] = { 1, 2, 5 };

	for (uint64_t ten = 1; ten <= UINT64_MAX / 100; ten *= 10)
		for (size_t i = 0; i < HD_COUNT(steps); i++)
			if (length_ns / (steps[i] * ten) <= TICKS)
				return steps[i] * ten;
	return length_ns;
}

static void put_axis(struct hd_buf *out, const struct axis *a, int top, int bottom)
{
	uint64_t step = tick_of(a->length_ns);

	for (uint64_t at = 0; at <= a->length_ns; at += step) {
		double x = LEFT + PLOT * ((double)at / (double)a->length_ns);

		hd_buf_addf(out,
			    "<path class=\"hd-tick\" d=\"M%.1f %dV%d\"/><text class=\"hd-time\" x=\"%.1f\" y=\"%d\">",
			    x, top, bottom, x, bottom + 16);
		put_time(out, at);
		hd_buf_adds(out, "</text>\n");
		if (at > UINT64_MAX - step)
			break;
	}
}

void hd_gpu_timeline_fragment(struct hd_buf *out, const struct hd_profile *p)
{
	struct axis a = hd_gpu_timeline_has(p) ? axis_of(p->gpu) : (struct axis){ 0 };
	size_t n = 0, drawn = 0;
	int y = TOP;

	if (!a.length_ns)
		return;
	for (size_t i = 0; i < p->gpu->ndevices; i++)
		n += hd_gpu_window(&p->gpu->devices[i].active) > 0;
	drawn = n < DEVICES ? n : DEVICES;
	hd_buf_addf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-gpu\" role=\"img\" aria-label=\"Timeline of the "
		"GPUs\" viewBox=\"0 0 %d %d\" width=\"100%%\" preserveAspectRatio=\"xMidYMin\">\n",
		WIDTH, TOP + (int)drawn * BAND + AXIS);
	hd_buf_addf(out, "<text class=\"hd-title\" x=\"%d\" y=\"20\">What each GPU did, over ", LEFT);
	put_time(out, a.length_ns);
	if (n > drawn)
		hd_buf_addf(out, "; %zu of %zu devices", drawn, n);
	hd_buf_adds(out, "</text>\n");
	put_axis(out, &a, TOP + HEAD, TOP + (int)drawn * BAND);
	for (size_t i = 0; i < p->gpu->ndevices && drawn; i++) {
		if (!hd_gpu_window(&p->gpu->devices[i].active))
			continue;
		put_device(out, p, &a, &p->gpu->devices[i], y);
		y += BAND;
		drawn--;
	}
	hd_buf_adds(out, "</svg>\n");
}

void hd_gpu_timeline_css(struct hd_buf *out)
{
	hd_asset_add(out, "timeline.css");
}

void hd_gpu_timeline_svg(struct hd_outfile *out, const struct hd_profile *p)
{
	struct hd_buf b = { 0 }, svg = { 0 };
	const char *inside;

	hd_gpu_timeline_fragment(&svg, p);
	inside = svg.len ? strchr(svg.data, '\n') + 1 : NULL;
	if (inside) {
		hd_buf_adds(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
		hd_buf_add(&b, svg.data, (size_t)(inside - svg.data));
		hd_buf_adds(&b, "<style>\n");
		hd_gpu_timeline_css(&b);
		hd_buf_adds(&b,
			    ".hd-paper{fill:#fff}@media(prefers-color-scheme:dark){.hd-paper{fill:#16181c}}\n</style>\n"
			    "<rect class=\"hd-paper\" width=\"100%\" height=\"100%\"/>\n");
		hd_buf_adds(&b, inside);
	}
	hd_outfile_add(out, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
	hd_buf_release(&svg);
}
