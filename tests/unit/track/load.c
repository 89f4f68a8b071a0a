/*
 * load.c - compare the energy of synthetic loads with their integrals in closed form
 *
 * Each trace has a load (constant, ramp, sine, decay, steps, bursts), a sensor that is updated every T, readings with
 * jitter more often than that, and at random: noise, repeated readings, duplicates, readings out of order, gaps, and a
 * counter that wraps.  The energy of a random span within the trace must be within 0.1 % of the integral.
 *
 * Across a gap, the energy of watts is computed from a straight line, so a trace of watts has gaps only where the load
 * is nearly a straight line.  A trace of a counter may have gaps anywhere inside of the span.  The readings are so
 * frequent, and T is so short for loads with steps, that the delay with which a step is read changes the energy by
 * less than 0.1 %.
 */
#include "test.h"

#include "track/counter.h"
#include "track/energy.h"
#include "stats/random.h"

#include <math.h>
#include <stdlib.h>

enum kind { CONSTANT, RAMP, SINE, DECAY, STEPS, BURSTS, KINDS };
enum { LEVELS = 16, SEEDS = 12 };

static const char *const names[] = { "constant", "ramp", "sine", "decay", "steps", "bursts" };

struct load {
	enum kind kind;
	double base, extra, period, phase,
		duty; /* period: that of the sine, the decay, a step, a burst with its pause; duty: the burst's part */
	double level[LEVELS];
};

static double between(struct hd_random *r, double lo, double hi)
{
	return lo + (hi - lo) * hd_random_unit(r);
}

static struct load load_of(enum kind kind, struct hd_random *r)
{
	struct load l = {
		.kind = kind, .base = between(r, 40, 80), .extra = between(r, 10, 40), .duty = between(r, 0.2, 0.8)
	};

	l.period = between(r, kind == SINE || kind == DECAY ? 3 : 1, kind == SINE || kind == DECAY ? 9 : 4);
	l.phase = between(r, 0, 6);
	for (size_t i = 0; i < LEVELS; i++)
		l.level[i] = between(r, 20, 200);
	return l;
}

static double watts(const struct load *l, double t)
{
	switch (l->kind) {
	case CONSTANT: return l->base;
	case RAMP: return l->base + l->extra / 10 * t;
	case SINE: return l->base + l->extra * sin(2 * M_PI * t / l->period + l->phase);
	case DECAY: return l->base + l->extra * exp(-t / l->period);
	case STEPS: return l->level[(size_t)(t / l->period) % LEVELS];
	default: return l->base + (fmod(t, l->period) < l->duty * l->period ? l->extra : 0);
	}
}

/* Return the energy of the load from 0 to t. */
static double joules(const struct load *l, double t)
{
	double whole = floor(t / l->period), rest = t - whole * l->period, sum = 0;

	switch (l->kind) {
	case CONSTANT: return l->base * t;
	case RAMP: return l->base * t + l->extra / 20 * t * t;
	case SINE:
		return l->base * t -
		       l->extra * l->period / (2 * M_PI) * (cos(2 * M_PI * t / l->period + l->phase) - cos(l->phase));
	case DECAY: return l->base * t + l->extra * l->period * (1 - exp(-t / l->period));
	case STEPS:
		for (size_t i = 0; i < (size_t)whole; i++)
			sum += l->level[i % LEVELS] * l->period;
		return sum + l->level[(size_t)whole % LEVELS] * rest;
	default: return l->base * t + l->extra * (whole * l->duty * l->period + fmin(rest, l->duty * l->period));
	}
}

/* Duration of a trace in seconds.  The span begins in the first tenth of the trace and ends in the last. */
enum { LENGTH = 30 };

struct trace {
	struct hd_energy_sample *s;
	size_t n, cap;
	struct hd_energy_span span;
	double truth;
	size_t repeated, wraps, hidden, gaps, duplicates;
};

static void put(struct trace *t, double time, double value)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 4096;
		t->s = realloc(t->s, t->cap * sizeof(*t->s));
		EXPECT(t->s != NULL);
	}
	t->s[t->n] = (struct hd_energy_sample){ time, value, t->n && t->s[t->n - 1].value == value };
	t->repeated += t->s[t->n].repeated;
	t->n++;
}

/* Return true if the load has no step from just before a to just after b. */
static bool is_level(const struct load *l, double a, double b)
{
	return floor((a - 0.05) / l->period) == floor((b + 0.05) / l->period);
}

/* Return the length of a gap that begins now, 0.3 to 2 s, or 0 if there is none. */
static double gap(struct trace *t, const struct load *l, double now, struct hd_random *r, bool counter)
{
	double end = now + between(r, 0.3, 2);

	if (hd_random_below(r, 2000) || now < 0.15 * LENGTH || end > 0.85 * LENGTH)
		return 0;
	if (!counter && l->kind != CONSTANT && l->kind != RAMP && !(l->kind == STEPS && is_level(l, now, end)))
		return 0;
	t->gaps++;
	return end - now;
}

static void mix(struct trace *t, struct hd_random *r)
{
	for (size_t i = 1; i < t->n; i++)
		if (!hd_random_below(r, 50)) {
			struct hd_energy_sample s = t->s[i];

			t->s[i] = t->s[i - 1];
			t->s[i - 1] = s;
		}
}

static struct trace trace_of(const struct load *l, struct hd_random *r, bool counter)
{
	static const double sensor_s[KINDS] = { 0.1, 0.1, 0.05, 0.05, 0.001, 0.001 };
	double T = sensor_s[l->kind] * between(r, 0.5, 1), dt = fmin(T / between(r, 1, 4), 0.01),
	       phase = between(r, 0, T);
	double noise = counter || hd_random_below(r, 2) ? 0 : 0.003, unit = hd_random_below(r, 2) ? 15.3e-6 : 1e-3,
	       seen = -1, value = 0;
	struct hd_counter c = { .range = (uint64_t)(between(r, 600, 1500) / unit), .limit_per_s = 250 / unit };
	struct trace t = { .span = { between(r, 0, 0.1 * LENGTH) + 3 * T, between(r, 0.9 * LENGTH, LENGTH) - 3 * T } };
	uint64_t offset = hd_random_below(r, c.range);
	bool hidden;

	for (double now = 0; now < LENGTH; now += dt * between(r, 0.5, 1.5) + gap(&t, l, now, r, counter)) {
		double update = fmax(floor((now - phase) / T) * T + phase, 0);

		if (counter) {
			uint64_t raw = (offset + (uint64_t)(joules(l, update) / unit)) % c.range;

			t.wraps += hd_counter_add(&c, raw, now, &hidden) == HD_COUNTER_WRAPPED;
			t.hidden += hidden;
			value = (double)c.sum * unit;
		} else if (update != seen) {
			value = watts(l, update) * (1 + noise * between(r, -1, 1));
			seen = update;
		}
		put(&t, now, value);
		if (!hd_random_below(r, 100)) {
			put(&t, now, value);
			t.duplicates++;
		}
	}
	if (hd_random_below(r, 2))
		mix(&t, r);
	t.truth = joules(l, t.span.to_s) - joules(l, t.span.from_s);
	return t;
}

struct seen {
	size_t repeated, wraps, gaps, duplicates, backwards;
	double worst;
};

static void check(struct seen *seen, enum kind kind, unsigned seed, bool counter)
{
	struct hd_random r = hd_random_from(1000 * kind + 10 * seed + counter);
	struct load l = load_of(kind, &r);
	struct trace t = trace_of(&l, &r, counter);
	struct hd_energy e;
	double error;

	EXPECT_INT(counter ? hd_energy_counter(&e, t.s, t.n, t.span) : hd_energy(&e, t.s, t.n, t.span), 0);
	error = fabs(e.total_joules / t.truth - 1);
	if (!(error < 0.001))
		fail_msg("%s by %s, seed %u: %.9g J, truth %.9g J: %.3g %%", names[kind], counter ? "counter" : "watts",
			 seed, e.total_joules, t.truth, 100 * error);
	EXPECT(e.enough && fabs(e.duration_s - (t.span.to_s - t.span.from_s)) < 1e-9 && e.falls == 0 && t.hidden == 0);
	EXPECT(e.n_samples + e.repeated <= t.n);
	seen->repeated += t.repeated;
	seen->wraps += t.wraps;
	seen->gaps += e.gaps;
	seen->duplicates += t.duplicates;
	seen->backwards += e.backwards;
	seen->worst = fmax(seen->worst, error);
	free(t.s);
}

static void check_all(bool counter)
{
	struct seen seen = { 0 };

	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned seed = 0; seed < SEEDS; seed++)
			check(&seen, (enum kind)kind, seed, counter);
	print_message("worst error %.2g %% of %d traces: %zu repeated readings, %zu wraps, %zu gaps, %zu duplicates, "
		      "%zu out of order\n",
		      100 * seen.worst, KINDS * SEEDS, seen.repeated, seen.wraps, seen.gaps, seen.duplicates,
		      seen.backwards);
	EXPECT(seen.repeated > 1000 && seen.gaps > 10 && seen.duplicates > 100 && seen.backwards > 100);
	EXPECT(!counter || seen.wraps > 100);
}

TEST(watts_of_any_load_are_within_a_thousandth_of_its_integral)
{
	check_all(false);
}

TEST(counters_of_any_load_are_within_a_thousandth_of_its_integral)
{
	check_all(true);
}

TEST_MAIN(
	RUN(watts_of_any_load_are_within_a_thousandth_of_its_integral),
	RUN(counters_of_any_load_are_within_a_thousandth_of_its_integral),
)
