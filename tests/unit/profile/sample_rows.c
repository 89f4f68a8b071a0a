/* sample_rows.c - sum weights by key; rows are in the order of their first samples */
#include "test.h"

#include "profile/sample_rows.h"

#include <string.h>

static const struct hd_sample_row key = {
	.stack = { 5 }, .self = { 6 }, .event = 1, .comm = 2, .pid = 100, .tid = 101, .cpu = 3, .weight = 10,
	.count = 1,
};

TEST(rows_of_one_key_add_up)
{
	struct hd_sample_rows rows = { 0 };

	for (int i = 0; i < 3; i++)
		hd_sample_rows_add(&rows, &key);
	EXPECT_INT(rows.n, 1);
	EXPECT_INT(rows.items[0].weight, 30);
	EXPECT_INT(rows.items[0].count, 3);
	hd_sample_rows_release(&rows);
}

TEST(a_difference_in_any_field_of_the_key_keeps_them_apart)
{
	struct hd_sample_row other[8] = { key, key, key, key, key, key, key, key };
	struct hd_sample_rows rows = { 0 };

	other[0].stack.v++;
	other[1].self.v++;
	other[2].event++;
	other[3].comm++;
	other[4].pid = -100;
	other[5].tid++;
	other[6].cpu = UINT32_MAX;
	other[7].tuple = 1;
	hd_sample_rows_add(&rows, &key);
	for (int i = 0; i < 8; i++)
		hd_sample_rows_add(&rows, &other[i]);
	for (int i = 0; i < 8; i++)
		hd_sample_rows_add(&rows, &other[i]);
	EXPECT_INT(rows.n, 9);
	EXPECT_INT(rows.items[0].weight, 10);
	for (int i = 0; i < 8; i++) {
		EXPECT_INT(rows.items[i + 1].weight, 20);
		EXPECT_INT(rows.items[i + 1].count, 2);
	}
	hd_sample_rows_release(&rows);
}

TEST(rows_that_meet_in_the_table_are_told_apart_by_every_field)
{
	struct hd_sample_rows rows = { 0 };

	for (uint32_t i = 1; i <= 2000; i++) {
		struct hd_sample_row other[7] = { key, key, key, key, key, key, key };

		other[0].stack.v += i;
		other[1].self.v += i;
		other[2].event += i;
		other[3].comm += i;
		other[4].pid += (int32_t)i;
		other[5].tid += (int32_t)i;
		other[6].cpu += i;
		for (int k = 0; k < 7; k++)
			hd_sample_rows_add(&rows, &other[k]);
	}
	EXPECT_INT(rows.n, 7 * 2000);
	hd_sample_rows_release(&rows);
}

TEST(many_rows_keep_the_order_of_first_sight)
{
	struct hd_sample_rows rows = { 0 };
	struct hd_sample_row r = key;

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 10000; i++) {
			r.stack.v = i * 7919 % 10007;
			r.weight = i;
			hd_sample_rows_add(&rows, &r);
		}
	EXPECT_INT(rows.n, 10000);
	for (uint32_t i = 0; i < 10000; i++) {
		EXPECT_INT(rows.items[i].stack.v, i * 7919 % 10007);
		EXPECT_INT(rows.items[i].weight, 2 * i);
	}
	hd_sample_rows_release(&rows);
}

TEST(cleared_rows_are_empty_and_can_be_filled_again)
{
	struct hd_sample_rows rows = { 0 };

	hd_sample_rows_clear(&rows);
	hd_sample_rows_add(&rows, &key);
	hd_sample_rows_clear(&rows);
	EXPECT_INT(rows.n, 0);
	hd_sample_rows_add(&rows, &key);
	EXPECT_INT(rows.n, 1);
	EXPECT_INT(rows.items[0].weight, 10);
	hd_sample_rows_release(&rows);
	EXPECT(!rows.items && !rows.n);
}

TEST_MAIN(RUN(rows_of_one_key_add_up),
	  RUN(a_difference_in_any_field_of_the_key_keeps_them_apart),
	  RUN(rows_that_meet_in_the_table_are_told_apart_by_every_field),
	  RUN(many_rows_keep_the_order_of_first_sight),
	  RUN(cleared_rows_are_empty_and_can_be_filled_again))
