/*
 * event_order.c - events are sorted by time, then by their place in the file; the order in which they are added does
 * not matter
 */
#include "process/process_table.h"
#include "base/mem.h"
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct world {
	struct hd_log log;
	struct hd_strtab *names;
	struct hd_process_table *proc;
};

static void begin(struct world *w)
{
	*w = (struct world){ .names = hd_strtab_new() };
	w->proc = hd_process_table_new(w->names, &w->log);
}

static void end(struct world *w)
{
	hd_process_table_free(w->proc);
	hd_strtab_free(w->names);
	hd_log_release(&w->log);
}

static void comm(struct world *w, uint64_t time, uint64_t seq, const char *name)
{
	hd_process_add_comm(w->proc, (struct hd_record_time){ time, seq }, 1, 1, name, strlen(name), false);
}

static const char *comm_at(struct world *w, uint64_t time, uint64_t seq)
{
	struct hd_process_context at;

	hd_process_at(w->proc, 1, 1, (struct hd_record_time){ time, seq }, &at);
	return hd_strtab_get(w->names, hd_process_comm(w->proc, &at, 1));
}

TEST(records_without_a_time_come_first)
{
	struct world w;

	begin(&w);
	comm(&w, 100, 1, "timed");
	comm(&w, 0, 2, "untimed");
	hd_process_build(w.proc);
	EXPECT_STR(comm_at(&w, 50, 0), "untimed");
	EXPECT_STR(comm_at(&w, 101, 0), "timed");
	end(&w);
}

TEST(ties_of_time_go_by_the_place_in_the_file)
{
	struct world w;

	begin(&w);
	comm(&w, 100, 5, "later");
	comm(&w, 100, 3, "earlier");
	hd_process_build(w.proc);
	EXPECT_STR(comm_at(&w, 100, 4), "earlier");
	EXPECT_STR(comm_at(&w, 100, 6), "later");
	end(&w);
}

TEST(records_of_one_place_keep_the_order_they_were_fed_in)
{
	struct world w;

	begin(&w);
	comm(&w, 100, 7, "one");
	comm(&w, 300, 9, "late");
	comm(&w, 100, 7, "two");
	comm(&w, 50, 1, "early");
	hd_process_build(w.proc);
	EXPECT_STR(comm_at(&w, 60, 0), "early");
	EXPECT_STR(comm_at(&w, 200, 0), "two");
	EXPECT_STR(comm_at(&w, 400, 0), "late");
	end(&w);
}

TEST(a_question_sees_the_records_before_it_and_not_one_at_its_own_place)
{
	struct world w;

	begin(&w);
	comm(&w, 100, 5, "new");
	hd_process_build(w.proc);
	EXPECT_STR(comm_at(&w, 99, 9), ":1");
	EXPECT_STR(comm_at(&w, 100, 5), ":1");
	EXPECT_STR(comm_at(&w, 100, 6), "new");
	end(&w);
}

TEST(a_recording_without_any_times_is_ordered_by_place_alone)
{
	struct world w;

	begin(&w);
	comm(&w, 0, 9, "third");
	comm(&w, 0, 2, "first");
	comm(&w, 0, 5, "second");
	hd_process_build(w.proc);
	EXPECT_STR(comm_at(&w, 0, 1), ":1");
	EXPECT_STR(comm_at(&w, 0, 3), "first");
	EXPECT_STR(comm_at(&w, 0, 6), "second");
	EXPECT_STR(comm_at(&w, 0, 10), "third");
	end(&w);
}

TEST(records_without_times_and_samples_with_them_go_by_place)
{
	struct world w;

	begin(&w);
	comm(&w, 0, 2, "first");
	comm(&w, 0, 5, "second");
	hd_process_build(w.proc);
	EXPECT_STR(comm_at(&w, 700, 3), "first");
	EXPECT_STR(comm_at(&w, 600, 6), "second");
	end(&w);
}

TEST(records_without_times_that_were_written_at_the_end_come_first)
{
	struct world w;

	begin(&w);
	comm(&w, 0, 100, "tail");		/* perf record --tail-synthesize */
	hd_process_build(w.proc);
	EXPECT_STR(comm_at(&w, 700, 3), "tail");
	end(&w);
}

/* ---- invariants of a synthetic recording with all kinds of records */

enum { RECORDS = 900, QUESTIONS = 4000, TASKS = 24 };

/* A pseudo-random number that is the same in every run (splitmix64). */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t draw(uint64_t *r, uint64_t n)
{
	*r = mix(*r);
	return (*r >> 8) % n;
}

/* Add record number i, whose contents depend on i only.  Times are coarse, so there are many ties. */
static void feed(struct hd_process_table *proc, uint64_t i)
{
	static const char *const names[] = { "/bin/a", "/lib/b.so", "//anon", "[heap]", "[vdso]", "/lib/c.so" };
	uint64_t r = mix(i + 4242);
	int32_t pid = 1 + (int32_t)draw(&r, TASKS), tid = draw(&r, 2) ? pid : 100 + (int32_t)draw(&r, TASKS);
	int32_t child = 1 + (int32_t)draw(&r, TASKS);
	struct hd_record_time when = { i < 50 ? 0 : 10 + i / 8, i };
	char name[32];

	switch (draw(&r, 8)) {
	case 0:
		snprintf(name, sizeof(name), "comm%d", (int)draw(&r, 20));
		hd_process_add_comm(proc, when, pid, tid, name, strlen(name), draw(&r, 4) == 0);
		break;
	case 1:
		hd_process_add_fork(proc, when, child, pid, child, tid);
		break;
	case 2:
		hd_process_add_fork(proc, when, pid, pid, 100 + (int32_t)draw(&r, TASKS), tid);
		break;
	case 3:
		snprintf(name, sizeof(name), "bpf_prog_%d", (int)draw(&r, 9));
		hd_process_add_ksymbol(proc, when, 0xffff0000 + 64 * draw(&r, 9), 64, name, strlen(name), draw(&r, 2));
		break;
	case 4:
		hd_process_add_namespaces(proc, when, pid, tid, 1 + draw(&r, 3), 9);
		break;
	default:
		hd_process_add_mmap(proc, &(struct hd_process_mmap){
			.when = when, .pid = pid, .tid = tid, .addr = draw(&r, 64) << 12,
			.len = (1 + draw(&r, 16)) << 12,
			.name = names[i % HD_COUNT(names)], .name_len = strlen(names[i % HD_COUNT(names)]),
			.cpumode = 2, .executable = draw(&r, 3) > 0,
		});
	}
}

struct answer { char comm[16], object[32]; uint64_t foff, start, end, mnt_ns; };

static void ask(struct world *w, uint64_t q, struct answer *a)
{
	uint64_t r = mix(q + 99);
	int32_t pid = 1 + (int32_t)draw(&r, TASKS), tid = draw(&r, 2) ? pid : 100 + (int32_t)draw(&r, TASKS);
	uint64_t i = draw(&r, RECORDS + 20);
	bool kernel = draw(&r, 5) == 0;
	const struct hd_process_object *o;
	struct hd_process_location where;
	struct hd_process_context at;

	hd_process_at(w->proc, pid, tid, (struct hd_record_time){ i < 50 ? 0 : 10 + i / 8, i }, &at);
	hd_process_find(w->proc, &at, kernel ? 0xffff0000 + draw(&r, 640) : draw(&r, 80) << 12, kernel ? 1 : 2, &where);
	o = hd_process_object(w->proc, where.object);
	*a = (struct answer){ .foff = where.foff, .start = where.map_start, .end = where.map_end, .mnt_ns = o->mnt_ns };
	snprintf(a->comm, sizeof(a->comm), "%s", hd_strtab_get(w->names, hd_process_comm(w->proc, &at, tid)));
	snprintf(a->object, sizeof(a->object), "%s", hd_strtab_get(w->names, o->name));
}

static void shuffle(uint64_t *order, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; seed && i > 1; i--) {
		size_t j = draw(&seed, i);
		uint64_t t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}

/*
 * Add the records in the order of feed_seed and look up in the order of ask_seed.  answers[i] is the result of lookup
 * i.
 */
static void run(uint64_t feed_seed, uint64_t ask_seed, struct answer *answers)
{
	uint64_t *order = hd_new_array(uint64_t, QUESTIONS);
	struct world w;

	begin(&w);
	shuffle(order, RECORDS, feed_seed);
	for (size_t i = 0; i < RECORDS; i++)
		feed(w.proc, order[i]);
	hd_process_build(w.proc);
	shuffle(order, QUESTIONS, ask_seed);
	for (size_t i = 0; i < QUESTIONS; i++)
		ask(&w, order[i], &answers[order[i]]);
	end(&w);
	free(order);
}

TEST(records_fed_in_any_order_give_the_same_answers)
{
	struct answer *first = hd_new_array(struct answer, QUESTIONS), *other = hd_new_array(struct answer, QUESTIONS);
	size_t found = 0;

	run(0, 0, first);
	for (uint64_t seed = 1; seed <= 5; seed++) {
		run(seed, 0, other);
		EXPECT_MEM(first, other, QUESTIONS * sizeof(*first));
	}
	for (size_t i = 0; i < QUESTIONS; i++)
		found += first[i].object[0] != '\0';
	EXPECT(found > QUESTIONS / 4);		/* otherwise the comparison would prove little */
	free(first);
	free(other);
}

TEST(lookups_in_any_order_have_the_same_results)
{
	struct answer *first = hd_new_array(struct answer, QUESTIONS), *other = hd_new_array(struct answer, QUESTIONS);

	run(0, 0, first);
	for (uint64_t seed = 6; seed <= 10; seed++) {
		run(0, seed, other);
		EXPECT_MEM(first, other, QUESTIONS * sizeof(*first));
	}
	free(first);
	free(other);
}

TEST_MAIN(RUN(records_without_a_time_come_first),
	  RUN(ties_of_time_go_by_the_place_in_the_file),
	  RUN(records_of_one_place_keep_the_order_they_were_fed_in),
	  RUN(a_question_sees_the_records_before_it_and_not_one_at_its_own_place),
	  RUN(a_recording_without_any_times_is_ordered_by_place_alone),
	  RUN(records_without_times_and_samples_with_them_go_by_place),
	  RUN(records_without_times_that_were_written_at_the_end_come_first),
	  RUN(records_fed_in_any_order_give_the_same_answers),
	  RUN(lookups_in_any_order_have_the_same_results))
