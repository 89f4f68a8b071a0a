/* tuple.c - equal tuples of values get one ID */
#include "test.h"

#include "profile/tuple.h"

TEST(equal_tuples_get_equal_ids_from_1_on)
{
	struct hd_tuples t = { .width = 2 };
	struct hd_value a[] = { { HD_VALUE_TEXT, 7 }, { HD_VALUE_NONE, 0 } },
			b[] = { { HD_VALUE_TEXT, 7 }, { HD_VALUE_UNSIGNED, 0 } };
	uint32_t first = hd_tuples_add(&t, a);

	EXPECT_INT(first, 1);
	EXPECT_INT(hd_tuples_add(&t, b), 2);
	EXPECT_INT(hd_tuples_add(&t, a), 1);
	EXPECT_INT(hd_tuples_get(&t, 2)[0].v, 7);
	EXPECT_INT(hd_tuples_get(&t, 2)[1].kind, HD_VALUE_UNSIGNED);
	hd_tuples_release(&t);
}

TEST(ids_stay_while_the_table_grows)
{
	struct hd_tuples t = { .width = 3 };

	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 5000; i++) {
			struct hd_value v[] = { { HD_VALUE_SIGNED, i }, { HD_VALUE_ADDRESS, i % 7 },
				{ HD_VALUE_SIGNED, 0 - i } };

			EXPECT_INT(hd_tuples_add(&t, v), i + 1);
		}
	EXPECT_INT((int64_t)hd_tuples_get(&t, 4711)[2].v, -4710);
	hd_tuples_release(&t);
}

TEST_MAIN(RUN(equal_tuples_get_equal_ids_from_1_on),
	  RUN(ids_stay_while_the_table_grows))
