/*
 * bench.c - the order of runs, paths of a variant, and file stamps
 */
#include "bench/bench.h"

#include <string.h>
#include <sys/stat.h>

struct hd_schedule hd_schedule_init(unsigned sides, unsigned warmup, unsigned runs)
{
	return (struct hd_schedule){ .sides = sides, .warmup = warmup, .runs = runs };
}

/*
 * Return true if a phase (warm-up or measurement) continues: it has fewer than `least` rounds, or it has a time budget
 * that is not used up and fewer than HD_BENCH_RUNS_MAX rounds.
 */
static bool phase_goes_on(const struct hd_schedule *s, unsigned round, unsigned least, uint64_t budget_ns)
{
	if (round < least)
		return true;
	return budget_ns && round < HD_BENCH_RUNS_MAX && s->now_ns - s->began_ns < s->sides * budget_ns;
}

bool hd_schedule_next(struct hd_schedule *s, struct hd_schedule_step *step)
{
	unsigned round = s->done / s->sides, place = s->done % s->sides;

	if (!s->done)
		s->began_ns = s->now_ns;
	if (!place && !s->measuring && !phase_goes_on(s, round, s->warmup, s->warmup_ns)) {
		s->warmups = round;
		s->measuring = true;
		s->done = round = 0;
		s->began_ns = s->now_ns;
	}
	if (!place && s->measuring && !phase_goes_on(s, round, s->runs, s->time_ns))
		return false;
	step->warmup = !s->measuring;
	step->number = round;
	step->side = round % 2 ? s->sides - 1 - place : place;
	s->done++;
	return true;
}

void hd_bench_variant_path(struct hd_buf *to, const struct hd_bench_variant *side, const char *path)
{
	if (side->dir && *path != '/')
		hd_buf_addf(to, "%s/", side->dir);
	hd_buf_adds(to, path);
}

void hd_bench_append_stderr_line(struct hd_buf *to, const struct hd_subprocess_result *end)
{
	const char *text = hd_buf_str(&end->errors);
	size_t n = strlen(text);

	while (n && text[n - 1] == '\n')
		n--;
	for (const char *line = text; n;) {
		const char *nl = memchr(line, '\n', n);

		if (!nl) {
			hd_buf_addf(to, ": %.*s", (int)(n < 300 ? n : 300), line);
			return;
		}
		n -= (size_t)(nl + 1 - line);
		line = nl + 1;
	}
}

struct hd_bench_file_stamp hd_bench_file_stamp_of(const struct hd_bench_variant *side, const char *path)
{
	struct hd_bench_file_stamp s = { 0 };
	struct hd_buf full = { 0 };
	struct stat st;

	hd_bench_variant_path(&full, side, path);
	if (stat(full.data, &st) == 0)
		s = (struct hd_bench_file_stamp){ true, (long long)st.st_size, (long long)st.st_ctim.tv_sec,
			(long long)st.st_ctim.tv_nsec, (long long)st.st_ino };
	hd_buf_release(&full);
	return s;
}

bool hd_bench_file_stamp_same(const struct hd_bench_file_stamp *a, const struct hd_bench_file_stamp *b)
{
	return a->there == b->there && a->size == b->size && a->changed_s == b->changed_s &&
		a->changed_ns == b->changed_ns && a->inode == b->inode;
}
