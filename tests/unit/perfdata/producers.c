/* producers.c - read files in the formats of different programs, each in both byte orders */
#include "synthetic_recording.h"

enum { FIELDS = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD };

static const struct attr raw = { .type = PERF_TYPE_RAW,
	.config = 0x1a8,
	.period = 7,
	.sample_type = FIELDS,
	.branch_type = 0xb,
	.regs_user = 0xf,
	.regs_intr = 0x3,
	.stack_user = 512,
	.flags = ID_ALL };

static void put_sample(struct image *im, uint64_t ip)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	u64(im, ip);
	u32(im, 10);
	u32(im, 11);
	u64(im, 99);
	end(im, r);
}

static struct image data_of(bool swap)
{
	struct image data = { .swap = swap };

	put_sample(&data, 0x1000);
	return data;
}

/* Expect the contents that all forms have; return the attr. */
static const struct hd_perf_attr *expect_read(struct image *im)
{
	const struct hd_perf_attr *a;
	struct hd_sample s;
	size_t n;

	EXPECT_INT(open_image(im), 0);
	find(im, PERF_RECORD_SAMPLE);
	EXPECT_INT(hd_perf_parse_sample(im->pf, &im->rec, &s, &im->err), 0);
	EXPECT_INT(s.ip, 0x1000);
	EXPECT_INT(s.pid, 10);
	EXPECT_INT(s.tid, 11);
	EXPECT_INT(s.period, 99);
	EXPECT_INT(next(im), 0);
	a = hd_perf_attrs(im->pf, &n);
	EXPECT_INT(n, 1);
	EXPECT(a->sample_id_all);
	EXPECT_INT(a->period_or_freq, 7);
	EXPECT_INT(hd_perf_file(im->pf)->big, im->swap);
	EXPECT(!hd_perf_file(im->pf)->pipe);
	return a;
}

TEST(an_attr_may_be_of_any_size_and_its_entry_larger_than_that)
{
	for (uint32_t size = 64; size <= 200; size += 8) {
		for (int more = 0; more < 3; more++) {
			for (int swap = 0; swap < 2; swap++) {
				struct image data = data_of(swap);
				struct form form = { .attr_bytes = size,
					.entry_bytes = size + 16 + 8 * (unsigned)more };
				struct image im = formed_image(swap, form, raw, &data.b, NULL, 0);
				const struct hd_perf_attr *a = expect_read(&im);

				EXPECT_INT(a->nids, 1);
				EXPECT_INT(a->ids[0], 7);
				EXPECT_INT(a->branch_type, size >= 80 ? 0xb : 0);
				EXPECT_INT(a->regs_user, size >= 88 ? 0xf : 0);
				EXPECT_INT(a->stack_user, size >= 96 ? 512 : 0);
				EXPECT_INT(a->regs_intr, size >= 104 ? 0x3 : 0);
				EXPECT_INT(im.log.n, 0);
				release(&im);
				hd_buf_release(&data.b);
			}
		}
	}
}

TEST(the_first_formats_magic_tells_no_byte_order_and_its_header_no_features)
{
	for (unsigned which = 0; which < 8; which++) {
		bool swap = which & 1;
		struct image data = data_of(swap);
		struct form form = { .magic = which & 2 ? "PERFFILE" : "ELIFFREP",
			.header = which & 4 ? 72 : 104,
			.attr_bytes = 64 };
		struct image im = formed_image(swap, form, raw, &data.b, NULL, 0);

		expect_read(&im);
		EXPECT_INT(im.log.n, 0);
		release(&im);
		hd_buf_release(&data.b);
	}
}

TEST(a_table_of_event_types_may_be_a_section_of_its_own)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image data = data_of(swap), types = { .swap = swap };
		struct image im;

		u64(&types, 0x99);
		text(&types, "another", 64);
		u64(&types, 0x1a8);
		text(&types, "uops_retired", 64);
		im = formed_image(swap, (struct form){ .types = &types.b }, raw, &data.b, NULL, 0);
		EXPECT_STR(expect_read(&im)->name, "uops_retired");
		EXPECT_INT(im.log.n, 0);
		release(&im);
		hd_buf_release(&data.b);
		hd_buf_release(&types.b);
	}
}

TEST(a_record_of_an_event_type_is_as_long_as_its_name_needs)
{
	for (size_t name = 8; name <= 64; name += 8) {
		for (int swap = 0; swap < 2; swap++) {
			struct image im = pipe_image(swap);
			size_t r;

			attr_record(&im, raw, 1);
			r = rec(&im, HD_RT_EVENT_TYPE, 0);
			u64(&im, 0x1a8);
			text(&im, "retired", name);
			end(&im, r);
			EXPECT_INT(open_image(&im), 0);
			walk(&im);
			EXPECT_STR(hd_perf_attrs(im.pf, &(size_t){ 0 })->name, "retired");
			EXPECT_INT(im.log.n, 0);
			release(&im);
		}
	}
}

TEST(features_that_nobody_here_knows_take_their_place_in_the_table)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image data = data_of(swap), unknown = { .swap = swap }, host = { .swap = swap }, im;

		text(&unknown, "whatever", 24);
		u32(&host, 8);
		text(&host, "box", 8);
		im = formed_image(swap, (struct form){ 0 }, raw, &data.b,
			(struct feature[]){ { HD_FEAT_HOSTNAME, &host.b }, { 32, &unknown.b }, { 60, &unknown.b },
				{ 140, &unknown.b }, { 150, &unknown.b }, { 210, &unknown.b }, { 255, &unknown.b } },
			7);
		expect_read(&im);
		EXPECT_STR(hd_perf_header(im.pf)->hostname, "box");
		EXPECT_INT(im.log.n, 0);
		release(&im);
		hd_buf_release(&data.b);
		hd_buf_release(&unknown.b);
		hd_buf_release(&host.b);
	}
}

TEST(feature_32_is_the_end_of_them_when_it_is_empty_and_one_of_them_when_it_is_not)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image im = pipe_image(swap);

		for (size_t body = 0; body < 48; body += 24) {
			size_t r = rec(&im, HD_RT_FEATURE, 0);

			u64(&im, 32);
			text(&im, "domains", body);
			end(&im, r);
		}
		attr_record(&im, raw, 1);
		put_sample(&im, 0x1000);
		EXPECT_INT(open_image(&im), 0);
		EXPECT_INT(walk(&im), 4);
		EXPECT_INT(im.log.n, 0);
		release(&im);
	}
}

TEST(a_record_need_not_be_a_multiple_of_8_long)
{
	for (int swap = 0; swap < 2; swap++) {
		for (size_t odd = 1; odd < 8; odd++) {
			struct image data = { .swap = swap }, im;
			size_t r = rec(&data, HD_RT_FEATURE, 0);

			u64(&data, 99);
			text(&data, "odd", odd);
			end(&data, r);
			put_sample(&data, 0x1000);
			im = formed_image(swap, (struct form){ 0 }, raw, &data.b, NULL, 0);
			expect_read(&im);
			EXPECT_INT(im.log.n, 0);
			release(&im);
			hd_buf_release(&data.b);
		}
	}
}

TEST(a_record_may_be_as_long_as_16_bits_say)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image data = { .swap = swap }, im;
		size_t r = rec(&data, HD_RT_FEATURE, 0);

		u64(&data, 99);
		text(&data, "long", 65535 - 16);
		end(&data, r);
		put_sample(&data, 0x1000);
		im = formed_image(swap, (struct form){ 0 }, raw, &data.b, NULL, 0);
		expect_read(&im);
		EXPECT_INT(im.log.n, 0);
		release(&im);
		hd_buf_release(&data.b);
	}
}

TEST(an_unfinished_recording_is_read_to_its_end_and_its_features_are_not)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image data = data_of(swap), im;

		im = formed_image(swap, (struct form){ .unfinished = true }, raw, &data.b, NULL, 0);
		expect_read(&im);
		EXPECT_INT(im.log.n, 1);
		EXPECT(*warned(&im, "lost.unfinished"));
		release(&im);
		hd_buf_release(&data.b);
	}
}

/*
 * The counter is read with each combination of the fields of its read format, alone and in a group.  In a group, the
 * times precede the members.
 */
TEST(a_read_value_is_as_wide_as_its_format_says)
{
	static const uint64_t bits[] = { PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_FORMAT_ID,
		HD_FORMAT_LOST };

	for (unsigned f = 0; f < 64; f++) {
		bool group = f & 16, swap = f & 32;
		struct image im = pipe_image(swap);
		struct attr a = { .type = PERF_TYPE_RAW,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN };
		const struct hd_read_value *values;
		struct hd_sample s;
		size_t r, n;

		for (unsigned i = 0; i < 4; i++)
			a.read_format |= f >> i & 1 ? bits[i] : 0;
		a.read_format |= group ? PERF_FORMAT_GROUP : 0;
		attr_record(&im, a, 5);
		r = rec(&im, PERF_RECORD_SAMPLE, 0);
		u64(&im, 0x1000);
		if (group)
			u64(&im, 2);
		for (unsigned i = 0; i < 2 && group; i++)
			if (f >> i & 1)
				u64(&im, 1000);
		for (unsigned member = 0; member < (group ? 2 : 1); member++) {
			u64(&im, 40 + member);
			for (unsigned i = group ? 2 : 0; i < 4; i++)
				if (f >> i & 1)
					u64(&im, i == 2 ? 5 : 1000);
		}
		u64(&im, 1);		/* a call chain, which follows the read values */
		u64(&im, 0x77);
		end(&im, r);
		EXPECT_INT(open_image(&im), 0);
		find(&im, PERF_RECORD_SAMPLE);
		EXPECT_INT(hd_perf_parse_sample(im.pf, &im.rec, &s, &im.err), 0);
		EXPECT_INT(s.nread, group ? 2 : 1);
		EXPECT_INT(s.nchain, 1);
		EXPECT_INT(hd_sample_chain_ip(&s, 0), 0x77);
		n = hd_perf_group_values(im.pf, &im.rec, &s, &values);
		EXPECT_INT(n, f & 4 ? (group ? 2 : 1) : 0);
		for (size_t i = 0; i < n; i++)
			/* the value is the difference from the previous value with the same ID */
			EXPECT_INT(values[i].value, i ? 1 : 40);
		release(&im);
	}
}

TEST_MAIN(RUN(an_attr_may_be_of_any_size_and_its_entry_larger_than_that),
	  RUN(the_first_formats_magic_tells_no_byte_order_and_its_header_no_features),
	  RUN(a_table_of_event_types_may_be_a_section_of_its_own),
	  RUN(a_record_of_an_event_type_is_as_long_as_its_name_needs),
	  RUN(features_that_nobody_here_knows_take_their_place_in_the_table),
	  RUN(feature_32_is_the_end_of_them_when_it_is_empty_and_one_of_them_when_it_is_not),
	  RUN(a_record_need_not_be_a_multiple_of_8_long),
	  RUN(a_record_may_be_as_long_as_16_bits_say),
	  RUN(an_unfinished_recording_is_read_to_its_end_and_its_features_are_not),
	  RUN(a_read_value_is_as_wide_as_its_format_says))
