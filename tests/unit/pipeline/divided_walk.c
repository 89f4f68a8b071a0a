/*
 * divided_walk.c - a recording without stack copies has the same profile, row by row, with any number of threads
 */
#include "recording.h"

enum { SAMPLES = 30000, MARK_BYTES = 1 << 14 };

static uint32_t draw(uint64_t *r, uint32_t n)
{
	*r = *r * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*r >> 33) % n;
}

/*
 * Return all rows of the profile with the IDs of their stacks, all names, the warnings and the counts as text; the
 * caller frees it.
 */
static char *whole_profile(const struct place *at, struct hd_pipeline_opts opts)
{
	struct hd_profile *p = ingest(at, opts);
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	struct hd_buf text = { 0 };

	EXPECT(p->read >= SAMPLES - 1);
	hd_buf_addf(&text, "read %llu kept %llu from %llu to %llu\n", (unsigned long long)p->read,
		(unsigned long long)p->kept, (unsigned long long)p->recording.first_ns,
		(unsigned long long)p->recording.last_ns);
	for (size_t i = 0; i < p->ndropped; i++)
		hd_buf_addf(&text, "%s %llu\n", p->dropped[i].reason, (unsigned long long)p->dropped[i].count);
	for (size_t i = 0; i < p->log.n; i++)
		hd_buf_addf(&text, "%s %llu %s\n", p->log.items[i].code, (unsigned long long)p->log.items[i].count,
			strrchr(p->log.items[i].text, '/'));
	for (size_t i = 0; i < p->nevents; i++)
		hd_buf_addf(&text, "lost %llu\n", (unsigned long long)p->events[i].lost);
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *r = &p->rows.items[i];

		hd_buf_addf(&text, "%u %u %u %u %llu %llu\n", r->stack.v, r->self.v, r->comm, r->event,
			(unsigned long long)r->weight, (unsigned long long)r->count);
	}
	for (uint32_t i = 1; i < hd_stacks_count(p->stacks); i++)
		hd_buf_addf(&text, "%u %u\n", nodes[i].caller, nodes[i].frame);
	for (uint32_t i = 0; i < hd_strtab_count(p->names); i++)
		hd_buf_addf(&text, "%s\n", hd_profile_str(p, i));
	hd_profile_free(p);
	return hd_buf_take(&text);
}

static void expect_same(struct image *im, struct hd_pipeline_opts opts)
{
	struct place at = place_of(im);
	char *want;

	opts.keys = HD_KEY_COMM;
	opts.threads = 1;
	opts.mark_bytes = MARK_BYTES;
	want = whole_profile(&at, opts);
	for (opts.threads = 2; opts.threads <= 8; opts.threads += 3) {
		char *have = whole_profile(&at, opts);

		EXPECT(!strcmp(have, want));
		free(have);
	}
	free(want);
	place_release(&at);
	hd_buf_release(&im->b);
}

/* Append a sample of a random chain of `depth` return addresses out of `naddresses`. */
static void random_sample(struct image *im, uint64_t *r, int32_t tid, uint64_t time_ns, uint32_t depth,
	uint32_t naddresses)
{
	uint64_t chain[64] = { HD_CONTEXT_USER };

	for (uint32_t i = 1; i <= depth; i++)
		chain[i] = 0x1000 + draw(r, naddresses);
	sample(im, (struct taken){ 1 + draw(r, 2), USER, chain[1], 10, tid, time_ns, 0, 1 + draw(r, 9),
		.chain = chain, .n = depth + 1 });
}

static struct image many(uint32_t depth, uint32_t naddresses)
{
	struct image im = side_band();
	uint64_t r = 1;

	for (uint64_t i = 1; i <= SAMPLES; i++)
		random_sample(&im, &r, 10 + (int32_t)draw(&r, 2), i * 1000, depth, naddresses);
	return im;
}

TEST(few_stacks_are_the_same)
{
	struct image im = many(4, 0x300);

	expect_same(&im, (struct hd_pipeline_opts){ 0 });
}

TEST(the_details_of_a_recording_are_the_same)
{
	struct image im = many(4, 0x300);

	expect_same(&im, (struct hd_pipeline_opts){ .details = true });
}

TEST(samples_of_one_event_and_one_thread_are_the_same)
{
	struct image im = many(4, 0x300);
	const char *event = "cycles", *tid = "11";

	expect_same(&im, (struct hd_pipeline_opts){
		.select = { .event = { .items = &event, .n = 1 }, .tid = { .items = &tid, .n = 1 } } });
}

TEST(sums_that_are_flushed_on_the_way_stay_in_order)
{
	struct image im = many(12, 0x1fff);

	expect_same(&im, (struct hd_pipeline_opts){ 0 });
}

TEST(a_limit_of_memory_drops_the_same_samples)
{
	struct image im = many(12, 0x1fff);

	expect_same(&im, (struct hd_pipeline_opts){ .budget_bytes = 2 << 20 });
}

TEST(records_that_change_what_follows_them_are_the_same)
{
	struct image im = side_band();
	uint64_t r = 2;

	for (uint64_t i = 1; i <= SAMPLES; i++) {
		uint64_t time_ns = i * 1000;
		uint32_t kind = draw(&r, 400);

		if (kind == 0)		/* no record names the thread */
			random_sample(&im, &r, 99 + (int32_t)draw(&r, 9), time_ns, 8, 0x1fff);
		else if (kind == 1)	/* not an address: the chain ends there */
			sample(&im, (struct taken){ 1, USER, 0x1110, 10, 10, time_ns, 0, 1,
				CHAIN(HD_CONTEXT_USER, 0x1110, UINT64_C(-3000)) });
		else if (kind == 2)	/* the caller is not in a mapping */
			sample(&im, (struct taken){ 1, USER, 0x1110, 10, 10, time_ns, 0, 1,
				CHAIN(HD_CONTEXT_USER, 0x1110, 0x900000 + draw(&r, 99)) });
		else if (kind == 3)
			sample(&im, (struct taken){ 1, KERNEL, KERNEL_IP + draw(&r, 99), 10, 10, time_ns, 0, 1,
				CHAIN(HD_CONTEXT_KERNEL, KERNEL_IP, HD_CONTEXT_USER, 0x1110) });
		else if (kind == 4)
			comm(&im, 10, 10, i & 1 ? "renamed" : "app", time_ns);
		else if (kind == 5)
			map(&im, 10, USER, 0x1000 * (1 + draw(&r, 2)), 0x1000, 0, i & 1 ? "//anon" : "/lib.so");
		else if (kind == 6)
			lost(&im, 1, draw(&r, 9));
		else if (kind == 7)	/* the time goes backwards */
			time_ns = 1 + draw(&r, 1000);
		random_sample(&im, &r, 10 + (int32_t)draw(&r, 2), time_ns, 5, 0x1fff);
	}
	expect_same(&im, (struct hd_pipeline_opts){ 0 });
}

TEST(samples_that_only_the_calling_thread_can_add_keep_their_place)
{
	for (uint32_t kind = 0; kind < 3; kind++) {
		struct image im = side_band();
		uint64_t r = 2;

		for (uint64_t i = 1; i <= SAMPLES; i++) {
			bool at = i % (SAMPLES / 3) == 7;

			if (at && kind == 0)		/* a time of 0 is no time */
				random_sample(&im, &r, 10, 0, 8, 64);
			else if (at && kind == 1)	/* no event has the id */
				sample(&im, (struct taken){ 77, USER, 0x1110, 10, 10, i * 1000, 0, 1, CHAIN(0x1110) });
			else if (at && kind == 2)	/* the sum of three of these weights exceeds 64 bits */
				sample(&im, (struct taken){ 1, USER, 0x1110, 10, 10, i * 1000, 0, UINT64_MAX / 5 * 2,
					CHAIN(0x1110) });
			random_sample(&im, &r, 10 + (int32_t)draw(&r, 2), i * 1000, 5, 0x1fff);
		}
		expect_same(&im, (struct hd_pipeline_opts){ 0 });
	}
}

TEST(a_recording_that_is_cut_off_is_the_same)
{
	struct image im = many(4, 0x300);

	im.b.len -= 21;
	expect_same(&im, (struct hd_pipeline_opts){ 0 });
}

TEST_MAIN(RUN(few_stacks_are_the_same),
	  RUN(the_details_of_a_recording_are_the_same),
	  RUN(samples_of_one_event_and_one_thread_are_the_same),
	  RUN(sums_that_are_flushed_on_the_way_stay_in_order),
	  RUN(a_limit_of_memory_drops_the_same_samples),
	  RUN(records_that_change_what_follows_them_are_the_same),
	  RUN(samples_that_only_the_calling_thread_can_add_keep_their_place),
	  RUN(a_recording_that_is_cut_off_is_the_same))
