/* sample.c - parse SAMPLE records: each field, invalid counts, IDs, and groups */
#include "synthetic_recording.h"

static struct hd_sample s;

/* Open the image, walk to its first sample and parse it into `s`.  Returns the result of the parser. */
static int parse(struct image *im)
{
	EXPECT_INT(open_image(im), 0);
	find(im, PERF_RECORD_SAMPLE);
	return hd_perf_parse_sample(im->pf, &im->rec, &s, &im->err);
}

TEST(every_field_is_found_where_the_kernel_puts_it)
{
	for (int swap = 0; swap < 2; swap++) {
		struct attr a = { .sample_type = (1u << 25) - 1 - PERF_SAMPLE_WEIGHT_STRUCT, .period = 1,
				  .branch_type = HD_BRANCH_HW_INDEX, .regs_user = 0x5, .regs_intr = 0x7 };
		struct image im = pipe_image(swap);
		size_t r;

		attr_record(&im, a, 0);
		r = rec(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
		u64(&im, 1000);		/* identifier */
		u64(&im, 1001);		/* ip */
		u32(&im, 1002);
		u32(&im, 1003);
		u64(&im, 1004);		/* time */
		u64(&im, 1005);		/* addr */
		u64(&im, 1000);		/* id */
		u64(&im, 1006);		/* stream id */
		u32(&im, 1007);		/* cpu */
		u32(&im, 0);
		u64(&im, 1008);		/* period */
		u64(&im, 1009);		/* read: value */
		u64(&im, 2);		/* chain */
		u64(&im, HD_CONTEXT_USER);
		u64(&im, 1010);
		u32(&im, 4);		/* raw */
		put(&im, "rawd", 4);
		u64(&im, 1);		/* number of branches; the index of the hardware's ring follows */
		u64(&im, UINT64_MAX);
		u64(&im, 1011);
		u64(&im, 1012);
		u64(&im, 1013);
		u64(&im, 2);		/* user registers: abi, two of them */
		u64(&im, 1014);
		u64(&im, 1015);
		u64(&im, 8);		/* user stack: 8 bytes, of which 5 are valid */
		put(&im, "stackbts", 8);
		u64(&im, 5);
		u64(&im, 1016);		/* weight */
		u64(&im, 1017);		/* data source */
		u64(&im, 1018);		/* transaction */
		u64(&im, 2);		/* interrupt registers */
		u64(&im, 1019);
		u64(&im, 1020);
		u64(&im, 1021);
		u64(&im, 1022);		/* physical address */
		u64(&im, 1023);		/* cgroup */
		u64(&im, 1024);		/* data page size */
		u64(&im, 1025);		/* code page size */
		u64(&im, 3);		/* AUX */
		put(&im, "aux", 3);
		end(&im, r);
		EXPECT_INT(parse(&im), 0);
		EXPECT_INT(s.attr, 0);
		EXPECT_INT(s.cpumode, PERF_RECORD_MISC_USER);
		EXPECT_INT(s.id, 1000);
		EXPECT_INT(s.ip, 1001);
		EXPECT_INT(s.pid, 1002);
		EXPECT_INT(s.tid, 1003);
		EXPECT(s.has_time);
		EXPECT_INT(s.time_ns, 1004);
		EXPECT_INT(s.addr, 1005);
		EXPECT_INT(s.stream_id, 1006);
		EXPECT_INT(s.cpu, 1007);
		EXPECT_INT(s.period, 1008);
		EXPECT_INT(s.nread, 1);
		EXPECT_INT(s.nchain, 2);
		EXPECT(hd_sample_chain_ip(&s, 0) == HD_CONTEXT_USER);
		EXPECT_INT(hd_sample_chain_ip(&s, 1), 1010);
		EXPECT_INT(s.raw_bytes, 4);
		EXPECT_MEM(s.raw, "rawd", 4);
		EXPECT_INT(s.nbranches, 1);
		EXPECT_INT(s.branches[swap ? 7 : 0], 1011 & 0xff);
		EXPECT_INT(s.regs_user_abi, 2);
		EXPECT_INT(s.regs_user[swap ? 7 : 0], 1014 & 0xff);
		EXPECT_INT(s.regs_user[8 + (swap ? 7 : 0)], 1015 & 0xff);
		EXPECT_INT(s.stack_user_bytes, 5);
		EXPECT_MEM(s.stack_user, "stackbts", 8);
		EXPECT_INT(s.weight, 1016);
		EXPECT_INT(s.data_src, 1017);
		EXPECT_INT(s.transaction, 1018);
		EXPECT_INT(s.regs_intr_abi, 2);
		EXPECT_INT(s.regs_intr[16 + (swap ? 7 : 0)], 1021 & 0xff);
		EXPECT_INT(s.phys_addr, 1022);
		EXPECT_INT(s.cgroup, 1023);
		EXPECT_INT(s.data_page_size, 1024);
		EXPECT_INT(s.code_page_size, 1025);
		EXPECT(!s.drop);
		release(&im);
	}
}

/* Each bit of sample_type is set alone, so the test shows that its field has the right place without the others. */
TEST(each_field_alone_is_read_and_a_byte_less_is_told)
{
	static const struct { uint64_t bit; unsigned int bytes; const char *part; } want[] = {
		{ PERF_SAMPLE_IDENTIFIER, 8, "first fields" }, { PERF_SAMPLE_IP, 8, "first fields" },
		{ PERF_SAMPLE_TID, 8, "first fields" }, { PERF_SAMPLE_TIME, 8, "first fields" },
		{ PERF_SAMPLE_ADDR, 8, "first fields" }, { PERF_SAMPLE_ID, 8, "first fields" },
		{ PERF_SAMPLE_STREAM_ID, 8, "first fields" }, { PERF_SAMPLE_CPU, 8, "first fields" },
		{ PERF_SAMPLE_PERIOD, 8, "first fields" }, { PERF_SAMPLE_READ, 8, "counter values" },
		{ PERF_SAMPLE_CALLCHAIN, 8, "call chain" }, { PERF_SAMPLE_RAW, 4, "raw data" },
		{ PERF_SAMPLE_BRANCH_STACK, 8, "branch stack" }, { PERF_SAMPLE_REGS_USER, 8, "user registers" },
		{ PERF_SAMPLE_STACK_USER, 8, "user stack" }, { PERF_SAMPLE_WEIGHT, 8, "weight" },
		{ PERF_SAMPLE_WEIGHT_STRUCT, 8, "weight" }, { PERF_SAMPLE_DATA_SRC, 8, "data source" },
		{ PERF_SAMPLE_TRANSACTION, 8, "transaction" }, { PERF_SAMPLE_REGS_INTR, 8, "interrupt registers" },
		{ PERF_SAMPLE_PHYS_ADDR, 8, "physical address" }, { PERF_SAMPLE_CGROUP, 8, "cgroup" },
		{ PERF_SAMPLE_DATA_PAGE_SIZE, 8, "data page size" },
		{ PERF_SAMPLE_CODE_PAGE_SIZE, 8, "code page size" },
		{ PERF_SAMPLE_AUX, 8, "AUX data" },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		for (unsigned int less = 0; less < 2; less++) {
			struct image im = one_event((struct attr){ .sample_type = want[i].bit, .period = 1 });
			size_t at = im.b.len, r = rec(&im, PERF_RECORD_SAMPLE, 0);
			char msg[160];

			text(&im, "", want[i].bytes - less);
			end(&im, r);
			if (less) {
				EXPECT_INT(parse(&im), HD_EFORMAT);
				snprintf(msg, sizeof(msg),
					"t.data: SAMPLE record at 0x%zx: its %u bytes end inside its %s", at,
					8 + want[i].bytes - 1, want[i].part);
				EXPECT_STR(im.err.msg, msg);
				EXPECT_STR(s.drop, "lost.sample-cut");
			} else {
				EXPECT_INT(parse(&im), 0);
			}
			release(&im);
		}
	}
}

/* Each of these fields begins with a count, which is larger than the record here. */
TEST(a_count_that_does_not_fit_drops_the_sample)
{
	static const struct { uint64_t bit, branch; } want[] = {
		{ PERF_SAMPLE_CALLCHAIN, 0 }, { PERF_SAMPLE_BRANCH_STACK, 0 },
		{ PERF_SAMPLE_BRANCH_STACK, HD_BRANCH_COUNTERS }, { PERF_SAMPLE_STACK_USER, 0 }, { PERF_SAMPLE_AUX, 0 },
	};
	static const uint64_t counts[] = { 5, UINT64_C(1) << 61, UINT64_C(0xaaaaaaaaaaaaaab), UINT64_MAX };

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			struct image im = one_event(
				(struct attr){ .sample_type = want[i].bit, .branch_type = want[i].branch });
			size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

			u64(&im, counts[k]);
			text(&im, "", 4);
			end(&im, r);
			EXPECT_INT(parse(&im), HD_EFORMAT);
			EXPECT_STR(s.drop, "lost.sample-cut");
			release(&im);
		}
	}
}

TEST(a_stack_cannot_be_fuller_than_it_is_large)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_STACK_USER });
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 8);
	u64(&im, 0);
	u64(&im, 9);
	end(&im, r);
	EXPECT_INT(parse(&im), HD_EFORMAT);
	release(&im);
}

TEST(an_empty_user_stack_has_no_word_for_its_real_size)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_PHYS_ADDR });
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 0);
	u64(&im, 77);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT(!s.stack_user && !s.stack_user_bytes);
	EXPECT_INT(s.phys_addr, 77);
	release(&im);
}

TEST(registers_that_were_not_taken_are_not_there)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_PHYS_ADDR,
						   .regs_user = 0xffff });
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, PERF_SAMPLE_REGS_ABI_NONE);
	u64(&im, 77);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT(!s.regs_user);
	EXPECT_INT(s.phys_addr, 77);
	release(&im);
}

TEST(branch_counters_of_newer_kernels_are_stepped_over)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_PHYS_ADDR,
						   .branch_type = HD_BRANCH_COUNTERS });
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 1);
	text(&im, "", 24);
	u64(&im, 5);
	u64(&im, 77);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT_INT(s.nbranches, 1);
	EXPECT_INT(s.phys_addr, 77);
	release(&im);
}

TEST(three_weights_in_one_word_are_told_apart_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = pipe_image(swap);
		size_t r;

		attr_record(&im, (struct attr){ .sample_type = PERF_SAMPLE_WEIGHT_STRUCT }, 0);
		r = rec(&im, PERF_RECORD_SAMPLE, 0);
		u64(&im, UINT64_C(0x0003000200000001));
		end(&im, r);
		EXPECT_INT(parse(&im), 0);
		EXPECT_INT(s.weight, 1);
		EXPECT_INT(s.weight2, 2);
		EXPECT_INT(s.weight3, 3);
		release(&im);
	}
}

TEST(a_data_source_that_no_kernel_writes_is_told_and_kept)
{
	static const uint64_t sources[] = { 0, PERF_MEM_OP_LOAD, UINT64_C(1) << 32 };
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_DATA_SRC });

	for (int i = 0; i < 3; i++) {
		size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

		u64(&im, sources[i]);
		end(&im, r);
	}
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(walk(&im), 4);
	EXPECT_INT(hd_log_find(&im.log, "odd.data-source")->count, 1);
	release(&im);
}

TEST(bytes_behind_the_last_field_are_tolerated)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_IP });
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 42);
	text(&im, "", 13);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT_INT(s.ip, 42);
	release(&im);
}

TEST(what_was_not_recorded_says_so)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_IP, .period = 4000 });
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 42);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT_INT(s.pid, -1);
	EXPECT_INT(s.tid, -1);
	EXPECT(s.cpu == UINT32_MAX);
	EXPECT(!s.has_time);
	EXPECT_INT(s.period, 4000);		/* the period of the attr, as in perf */
	release(&im);
	im = one_event((struct attr){ .sample_type = PERF_SAMPLE_IP });
	r = rec(&im, PERF_RECORD_SAMPLE, 0);
	u64(&im, 42);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT_INT(s.period, 1);
	release(&im);
}

TEST(a_chain_may_be_longer_than_127_entries)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_CALLCHAIN });
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 1000);
	for (int i = 0; i < 1000; i++)
		u64(&im, (uint64_t)i);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT_INT(s.nchain, 1000);
	EXPECT_INT(hd_sample_chain_ip(&s, 999), 999);
	release(&im);
}

TEST(a_sample_before_any_attr_has_a_reason_of_its_own)
{
	struct image im = pipe_image(false);

	end(&im, rec(&im, PERF_RECORD_SAMPLE, 0));
	EXPECT_INT(parse(&im), HD_EFORMAT);
	EXPECT_STR(im.err.msg, "t.data: SAMPLE record at 0x10: no attr describes its fields");
	EXPECT_STR(s.drop, "lost.sample-attr");
	release(&im);
}

static void sample_with_id(struct image *im, uint64_t type, uint64_t id)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, 0);

	if (type & PERF_SAMPLE_IDENTIFIER)
		u64(im, id);
	u64(im, 42);
	if (type & PERF_SAMPLE_TIME)
		u64(im, 1);
	if (type & PERF_SAMPLE_ID)
		u64(im, id);
	end(im, r);
}

static uint32_t attr_of_next_sample(struct image *im)
{
	int rc;

	find(im, PERF_RECORD_SAMPLE);
	rc = hd_perf_parse_sample(im->pf, &im->rec, &s, &im->err);
	return rc < 0 ? UINT32_MAX : s.attr;
}

TEST(the_id_tells_the_event_at_the_place_that_its_attr_gives_it)
{
	static const uint64_t types[] = {
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP,
		PERF_SAMPLE_IP | PERF_SAMPLE_ID,
		PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
	};

	for (size_t i = 0; i < 3; i++) {
		struct image im = pipe_image(false);

		attr_record(&im, (struct attr){ .sample_type = types[i], .flags = ID_ALL }, 100);
		attr_record(&im, (struct attr){ .sample_type = types[i], .flags = ID_ALL }, 200);
		sample_with_id(&im, types[i], 200);
		sample_with_id(&im, types[i], 100);
		sample_with_id(&im, types[i], 0);	/* id 0 means the first event, as in perf */
		sample_with_id(&im, types[i], 300);	/* no event has this id, so the sample is dropped */
		EXPECT_INT(open_image(&im), 0);
		EXPECT_INT(attr_of_next_sample(&im), 1);
		EXPECT_INT(attr_of_next_sample(&im), 0);
		EXPECT_INT(attr_of_next_sample(&im), 0);
		EXPECT(attr_of_next_sample(&im) == UINT32_MAX);
		EXPECT_STR(s.drop, "lost.sample-id");
		EXPECT(strstr(im.err.msg, ": no event has the id 300"));
		EXPECT(hd_perf_attr_of(im.pf, 200) == 1 && hd_perf_attr_of(im.pf, 300) == UINT32_MAX);
		release(&im);
	}
}

TEST(attrs_that_disagree_on_the_place_of_the_id_are_told_apart)
{
	uint64_t a = PERF_SAMPLE_IP | PERF_SAMPLE_ID, b = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	struct image im = pipe_image(false);

	attr_record(&im, (struct attr){ .sample_type = a, .flags = ID_ALL }, 100);
	attr_record(&im, (struct attr){ .sample_type = b, .flags = ID_ALL }, 200);
	sample_with_id(&im, b, 200);
	sample_with_id(&im, a, 100);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(attr_of_next_sample(&im), 1);
	EXPECT(s.has_time);
	EXPECT_INT(attr_of_next_sample(&im), 0);
	EXPECT(!s.has_time);
	release(&im);
}

TEST(without_any_ids_all_samples_are_the_first_event_s)
{
	struct image im = pipe_image(false);
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_ID;

	attr_record(&im, (struct attr){ .sample_type = type, .flags = ID_ALL }, 0);
	attr_record(&im, (struct attr){ .sample_type = type, .flags = ID_ALL }, 0);
	sample_with_id(&im, type, 5);
	EXPECT_INT(open_image(&im), 0);
	EXPECT_INT(attr_of_next_sample(&im), 0);
	release(&im);
}

/* Append a sample of the group {cycles,instructions}:S, whose leader is sampled and whose members are all read. */
static void group_sample(struct image *im, uint32_t tid, uint64_t cycles, uint64_t instructions)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, 0);

	u32(im, 1);
	u32(im, tid);
	u64(im, 100);
	u64(im, 2);
	u64(im, cycles);
	u64(im, 100);
	u64(im, 0);			/* lost */
	u64(im, instructions);
	u64(im, 200);
	u64(im, 0);
	end(im, r);
}

static struct image group_image(uint64_t flags)
{
	struct attr a = { .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_READ, .flags = flags,
			  .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | HD_FORMAT_LOST };
	struct image im = pipe_image(false);

	attr_record(&im, a, 100);
	attr_record(&im, a, 200);
	return im;
}

static void expect_values(struct image *im, uint64_t cycles, uint64_t instructions)
{
	const struct hd_read_value *v;

	find(im, PERF_RECORD_SAMPLE);
	EXPECT_INT(hd_perf_parse_sample(im->pf, &im->rec, &s, &im->err), 0);
	EXPECT_INT(hd_perf_group_values(im->pf, &im->rec, &s, &v), 2);
	EXPECT_INT(v[0].attr, 0);
	EXPECT_INT(v[0].id, 100);
	EXPECT_INT(v[0].value, cycles);
	EXPECT_INT(v[1].attr, 1);
	EXPECT_INT(v[1].value, instructions);
}

TEST(a_group_read_gives_each_member_its_increase)
{
	struct image im = group_image(0);

	group_sample(&im, 1, 1000, 500);
	group_sample(&im, 2, 1700, 500);
	group_sample(&im, 1, 2000, 900);
	EXPECT_INT(open_image(&im), 0);
	for (int i = 0; i < 2; i++) {
		expect_values(&im, 1000, 500);
		expect_values(&im, 700, 0);
		expect_values(&im, 300, 400);
		EXPECT_INT(hd_perf_rewind(im.pf, &im.err), 0);	/* differences start again in each walk */
	}
	release(&im);
}

TEST(an_inherited_group_counts_each_thread_by_itself)
{
	struct image im = group_image(FLAG(HD_ATTR_INHERIT));

	group_sample(&im, 1, 1000, 500);
	group_sample(&im, 2, 1700, 500);
	group_sample(&im, 1, 2000, 900);
	EXPECT_INT(open_image(&im), 0);
	expect_values(&im, 1000, 500);
	expect_values(&im, 1700, 500);
	expect_values(&im, 1000, 400);
	release(&im);
}

TEST(members_that_nobody_knows_are_left_out)
{
	struct image im = group_image(0);
	const struct hd_read_value *v;
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u32(&im, 1);
	u32(&im, 1);
	u64(&im, 100);
	u64(&im, 2);
	for (int i = 0; i < 2; i++) {
		u64(&im, 10);
		u64(&im, i ? 999 : 200);
		u64(&im, 0);
	}
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT_INT(hd_perf_group_values(im.pf, &im.rec, &s, &v), 1);
	EXPECT_INT(v[0].attr, 1);
	release(&im);
}

TEST(a_sample_without_counters_stands_for_itself)
{
	struct image im = one_event((struct attr){ .sample_type = PERF_SAMPLE_IP });
	const struct hd_read_value *v;
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u64(&im, 42);
	end(&im, r);
	EXPECT_INT(parse(&im), 0);
	EXPECT_INT(hd_perf_group_values(im.pf, &im.rec, &s, &v), 0);
	release(&im);
}

TEST(more_counters_than_fit_drop_the_sample)
{
	struct image im = group_image(0);
	size_t r = rec(&im, PERF_RECORD_SAMPLE, 0);

	u32(&im, 1);
	u32(&im, 1);
	u64(&im, 100);
	u64(&im, UINT64_C(0x0aaaaaaaaaaaaaab));
	text(&im, "", 24);
	end(&im, r);
	EXPECT_INT(parse(&im), HD_EFORMAT);
	EXPECT(strstr(im.err.msg, "end inside its counter values"));
	release(&im);
}

TEST_MAIN(RUN(every_field_is_found_where_the_kernel_puts_it),
	  RUN(each_field_alone_is_read_and_a_byte_less_is_told),
	  RUN(a_count_that_does_not_fit_drops_the_sample),
	  RUN(a_stack_cannot_be_fuller_than_it_is_large),
	  RUN(an_empty_user_stack_has_no_word_for_its_real_size),
	  RUN(registers_that_were_not_taken_are_not_there),
	  RUN(branch_counters_of_newer_kernels_are_stepped_over),
	  RUN(three_weights_in_one_word_are_told_apart_in_both_byte_orders),
	  RUN(a_data_source_that_no_kernel_writes_is_told_and_kept),
	  RUN(bytes_behind_the_last_field_are_tolerated),
	  RUN(what_was_not_recorded_says_so),
	  RUN(a_chain_may_be_longer_than_127_entries),
	  RUN(a_sample_before_any_attr_has_a_reason_of_its_own),
	  RUN(the_id_tells_the_event_at_the_place_that_its_attr_gives_it),
	  RUN(attrs_that_disagree_on_the_place_of_the_id_are_told_apart),
	  RUN(without_any_ids_all_samples_are_the_first_event_s),
	  RUN(a_group_read_gives_each_member_its_increase),
	  RUN(an_inherited_group_counts_each_thread_by_itself),
	  RUN(members_that_nobody_knows_are_left_out),
	  RUN(a_sample_without_counters_stands_for_itself),
	  RUN(more_counters_than_fit_drop_the_sample))
