/* activity_sorter.c - sort activities by start, also if they do not fit into memory */
#include "test.h"

#include "gpu/activity_sorter.h"

#include <stdlib.h>

struct seen {
	struct hd_gpu_activity last;
	uint64_t n, sum;
	bool in_order;
	int answer;
};

static int see(void *context, const struct hd_gpu_activity *a, struct hd_err *err)
{
	struct seen *s = context;

	(void)err;
	if (s->n && hd_gpu_activity_before(a, &s->last))
		s->in_order = false;
	if (s->n && !hd_gpu_activity_before(&s->last, a) && a->correlation < s->last.correlation)
		s->in_order = false;	/* activities with one start keep the order in which they were added */
	s->last = *a;
	s->n++;
	s->sum += a->correlation;
	return s->answer;
}

static struct seen sort(size_t n, int64_t distinct, int answer, int *rc)
{
	struct seen seen = { .in_order = true, .answer = answer };
	struct hd_gpu_sink sink = { .activity = see, .context = &seen };
	struct hd_gpu_activity_sorter *o = hd_gpu_activity_sorter_new(&sink, "capture");
	uint64_t x = 12345;

	*rc = 0;
	for (size_t i = 0; *rc >= 0 && i < n; i++) {
		struct hd_gpu_activity a = { .correlation = i };

		x = x * 6364136223846793005u + 1442695040888963407u;
		a.start_ns = (int64_t)(x >> 33) % distinct - distinct / 2;
		a.kind = x >> 62 ? HD_GPU_KERNEL : HD_GPU_LAUNCH;
		*rc = hd_gpu_activity_sorter_add(o, &a, NULL);
	}
	if (*rc >= 0)
		*rc = hd_gpu_activity_sorter_end(o, NULL);
	hd_gpu_activity_sorter_free(o);
	return seen;
}

TEST(activities_come_by_rising_start_and_launches_before_what_starts_with_them)
{
	int rc;
	struct seen s = sort(5000, 300, 0, &rc);

	EXPECT_INT(rc, 0);
	EXPECT_INT(s.n, 5000);
	EXPECT(s.in_order);
}

TEST(runs_that_were_spilled_into_a_file_are_merged_in_the_same_order)
{
	const uint64_t n = 3 * (1 << 18) + 17;
	int rc;
	struct seen s = sort(n, 1000, 0, &rc);

	EXPECT_INT(rc, 0);
	EXPECT_INT(s.n, n);
	EXPECT_INT(s.sum, n * (n - 1) / 2);
	EXPECT(s.in_order);
}

TEST(no_activity_is_no_fault)
{
	int rc;
	struct seen s = sort(0, 1, 0, &rc);

	EXPECT_INT(rc, 0);
	EXPECT_INT(s.n, 0);
	hd_gpu_activity_sorter_free(NULL);
}

TEST(an_error_of_the_sink_ends_the_sorting)
{
	int rc;
	struct seen s = sort(10, 1000, HD_EFORMAT, &rc);

	EXPECT_INT(rc, HD_EFORMAT);
	EXPECT_INT(s.n, 1);
}

TEST(equal_stacks_have_equal_ids_and_callers_come_first)
{
	struct hd_strtab *names = hd_strtab_new();
	struct hd_gpu_dict d;
	uint32_t main_id, a, last = 0;

	hd_gpu_dict_init(&d, names);
	main_id = hd_gpu_dict_stack(&d, 0, &(struct hd_gpu_frame){ .name = hd_strtab_add(names, "main") });
	a = hd_gpu_dict_stack(&d, main_id, &(struct hd_gpu_frame){ .address = 0x10 });
	EXPECT(main_id && a > main_id);
	EXPECT_INT(hd_gpu_dict_stack(&d, main_id, &(struct hd_gpu_frame){ .address = 0x10 }), a);
	EXPECT(hd_gpu_dict_stack(&d, main_id, &(struct hd_gpu_frame){ .address = 0x11 }) != a);
	for (uint64_t i = 0; i < 5000; i++)
		last = hd_gpu_dict_stack(&d, last, &(struct hd_gpu_frame){ .address = i });
	EXPECT_INT(d.nodes[last].frame.address, 4999);
	EXPECT(d.nodes[last].caller < last);
	EXPECT_INT(hd_gpu_dict_stack(&d, main_id, &(struct hd_gpu_frame){ .address = 0x10 }), a);
	hd_gpu_dict_release(&d);
	hd_strtab_free(names);
}

TEST_MAIN(
	RUN(activities_come_by_rising_start_and_launches_before_what_starts_with_them),
	RUN(runs_that_were_spilled_into_a_file_are_merged_in_the_same_order),
	RUN(no_activity_is_no_fault),
	RUN(an_error_of_the_sink_ends_the_sorting),
	RUN(equal_stacks_have_equal_ids_and_callers_come_first),
)
