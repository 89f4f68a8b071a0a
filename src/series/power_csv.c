/*
 * power_csv.c - see power_csv.h
 */
#include "series/power_csv.h"

#include "base/mem.h"
#include "track/csvout.h"
#include "track/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* largest size of a row in bytes: four numbers, and two names of HD_POWER_NAME bytes, each byte escaped as \u{H..} */
enum { ROW = 2048 };

void hd_power_csv_init(struct hd_power_csv *p, struct hd_outfile *file, size_t domains)
{
	const char *header = hd_form_layout(HD_FORM_SOURCES)->header;

	*p = (struct hd_power_csv){ .file = file, .domains = domains, .start_ns = UINT64_MAX, .end_ns = UINT64_MAX };
	p->last = hd_new_array(struct hd_power_sample, domains);
	hd_outfile_add(file, header, strlen(header));
	hd_outfile_add(file, "\n", 1);
}

void hd_power_csv_begin(struct hd_power_csv *p, uint64_t start_ns)
{
	p->start_ns = start_ns;
}

void hd_power_csv_finish(struct hd_power_csv *p, uint64_t end_ns)
{
	p->end_ns = end_ns;
}

static void write_row(struct hd_power_csv *p, const struct hd_power_sample *s, const struct hd_power_domain *d)
{
	char room[ROW];
	struct hd_csvout o = hd_csvout_to(room, sizeof(room));

	hd_csvout_u64(&o, s->t_ns);
	hd_csvout_name(&o, d->source, strlen(d->source));
	hd_csvout_name(&o, d->name, strlen(d->name));
	hd_csvout_num(&o, s->watts);
	hd_csvout_num(&o, s->joules_cum);
	hd_csvout_u64(&o, s->stale);
	if (hd_csvout_end(&o) < 0)
		return;
	hd_outfile_add(p->file, room, o.len);
	p->rows++;
}

static double between(double a, double b, double at)
{
	return isnan(a) ? b : isnan(b) ? a : a + (b - a) * at;
}

/* Return a sample at t_ns, interpolated between a and b, whose times enclose t_ns.  `stale` is copied from `of`. */
static struct hd_power_sample interpolate(const struct hd_power_sample *a, const struct hd_power_sample *b,
					  uint64_t t_ns, const struct hd_power_sample *of)
{
	double at = b->t_ns > a->t_ns ? (double)(t_ns - a->t_ns) / (double)(b->t_ns - a->t_ns) : 0;

	return (struct hd_power_sample){ .t_ns = t_ns, .domain = a->domain, .watts = between(a->watts, b->watts, at),
					 .joules_cum = between(a->joules_cum, b->joules_cum, at), .stale = of->stale };
}

void hd_power_csv_add(struct hd_power_csv *p, const struct hd_power_sample *s, const struct hd_power_domain *d)
{
	struct hd_power_sample *last = &p->last[s->domain], edge;

	if (s->t_ns > p->start_ns && last->t_ns && last->t_ns <= p->start_ns) {
		edge = interpolate(last, s, p->start_ns, last);
		write_row(p, &edge, d);
	}
	if (s->t_ns > p->end_ns && last->t_ns && last->t_ns < p->end_ns) {
		struct hd_power_sample from = *last;

		if (last->t_ns < p->start_ns)
			from = interpolate(last, s, p->start_ns, last);
		edge = interpolate(&from, s, p->end_ns, s);
		write_row(p, &edge, d);
	} else if (s->t_ns > p->start_ns && s->t_ns <= p->end_ns) {
		write_row(p, s, d);
	}
	*last = *s;
}

void hd_power_csv_release(struct hd_power_csv *p)
{
	free(p->last);
	*p = (struct hd_power_csv){ 0 };
}
