/*
 * sha256.c - the sums of FIPS 180-4
 */
#include "test.h"

#include "base/sha256.h"

#include <string.h>

static void expect_sum(const void *p, size_t n, const char *want)
{
	char hex[HD_SHA256_HEX];

	hd_sha256_hex(p, n, hex);
	EXPECT_STR(hex, want);
}

TEST(the_examples_of_the_standard_come_out)
{
	expect_sum("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_sum("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(a_sum_taken_in_pieces_is_the_sum_of_the_whole)
{
	char text[1000], hex[HD_SHA256_HEX], pieces[HD_SHA256_HEX] = "";
	struct hd_sha256 *h = hd_sha256_new();
	uint8_t sum[HD_SHA256_BYTES];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7);
	hd_sha256_hex(text, sizeof(text), hex);
	for (size_t at = 0, n = 1; at < sizeof(text); at += n, n++) {
		n = n < sizeof(text) - at ? n : sizeof(text) - at;
		hd_sha256_add(h, text + at, n);
	}
	hd_sha256_add(h, text, 0);
	hd_sha256_end(h, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(pieces + 2 * i, 3, "%02x", sum[i]);
	EXPECT_STR(pieces, hex);
}

TEST_MAIN(RUN(the_examples_of_the_standard_come_out),
	  RUN(a_sum_taken_in_pieces_is_the_sum_of_the_whole))
