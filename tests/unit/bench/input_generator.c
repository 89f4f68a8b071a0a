/*
 * input_generator.c - tests of generated inputs: each class occurs, and the text of a number is read as the same
 * number
 */
#include "bench/input_generator.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000 };

TEST(every_class_of_numbers_occurs_and_is_counted)
{
	struct hd_input_generator g = hd_input_generator_init(1, 1);
	uint64_t zeros = 0, infinities = 0, nans = 0, denormals = 0, largest = 0, smallest = 0, one = 0, negative = 0;

	for (int i = 0; i < N; i++) {
		double v = hd_input_generator_number(&g);

		zeros += v == 0;
		infinities += isinf(v) != 0;
		nans += isnan(v) != 0;
		denormals += fpclassify(v) == FP_SUBNORMAL;
		largest += fabs(v) == DBL_MAX;
		smallest += fabs(v) == 0x1p-1074;
		one += fabs(fabs(v) - 1) < 1e-15;
		negative += signbit(v) != 0;
	}
	EXPECT(zeros > N / 20 && infinities > N / 25 && nans > N / 50 && denormals > N / 20);
	EXPECT(largest > N / 100 && smallest > N / 100 && one > N / 50);
	EXPECT(negative > N / 2 - N / 50 && negative < N / 2 + N / 50);
	EXPECT(g.zeros == zeros && g.infinities == infinities && g.nans == nans && g.denormals == denormals);
}

TEST(a_seed_gives_the_same_lines_and_another_seed_others)
{
	struct hd_input_generator a = hd_input_generator_init(7, 3), b = hd_input_generator_init(7, 3),
				  c = hd_input_generator_init(8, 3);
	struct hd_buf x = { 0 }, y = { 0 }, z = { 0 };

	for (int i = 0; i < 100; i++) {
		hd_input_generator_line(&a, &x);
		hd_input_generator_line(&b, &y);
		hd_input_generator_line(&c, &z);
	}
	EXPECT_STR(x.data, y.data);
	EXPECT(strcmp(x.data, z.data) != 0);
	hd_buf_release(&x);
	hd_buf_release(&y);
	hd_buf_release(&z);
}

TEST(each_number_is_written_as_a_text_that_reads_back_as_it)
{
	struct hd_input_generator g = hd_input_generator_init(3, 1);
	struct hd_buf text = { 0 };

	for (int i = 0; i < N; i++) {
		double v = hd_input_generator_number(&g), back;
		char *end;

		hd_buf_reset(&text);
		hd_input_number_add(&text, v);
		back = strtod(text.data, &end);
		EXPECT(!*end && signbit(back) == signbit(v) && isnan(back) == isnan(v));
		EXPECT(isnan(v) || back == v);
	}
	hd_buf_release(&text);
}

TEST_MAIN(RUN(every_class_of_numbers_occurs_and_is_counted), RUN(a_seed_gives_the_same_lines_and_another_seed_others),
	  RUN(each_number_is_written_as_a_text_that_reads_back_as_it))
