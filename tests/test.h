/*
 * test.h - unit tests as sentences, run by cmocka
 *
 *     TEST(a_record_smaller_than_its_header_names_its_offset) { EXPECT(...); }
 *     TEST_MAIN(RUN(a_record_smaller_than_its_header_names_its_offset), ...)
 *
 * One file is one program.  SKIP("why") ends a test and reports it as skipped.
 */
#ifndef HD_TEST_H
#define HD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TEST(name)		static void name(void **state __attribute__((unused)))
#define RUN(name)		cmocka_unit_test(name)
#define TEST_MAIN(...)							\
	int main(void)							\
	{								\
		const struct CMUnitTest tests[] = { __VA_ARGS__ };	\
									\
		return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL); \
	}

/* 1 under AddressSanitizer and gcc's ThreadSanitizer, which replace the allocator and need more time and memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED		1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED		1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED		0
#endif

#define EXPECT(cond)		assert_true(cond)
#define EXPECT_INT(a, b)	assert_int_equal(a, b)
#define EXPECT_STR(a, b)	assert_string_equal(a, b)
#define EXPECT_MEM(a, b, n)	assert_memory_equal(a, b, n)
#define SKIP(why)		do { print_message("skipped: %s: %s\n", __func__, why); skip(); } while (0)

#endif
