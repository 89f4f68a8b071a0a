/*
 * sha256.c - compute the SHA-256 sums of the examples in FIPS 180-4
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

TEST(the_examples_of_rfc_4231_come_out)
{
	static const struct { const char *key; size_t repeat; const char *text, *want;
	} cases[] = {
		{ "\x0b", 20, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
		{ "Jefe", 1, "what do ya want for nothing?",
			"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
		{ "\xaa", 131, "Test Using Larger Than Block-Size Key - Hash Key First",
			"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = strlen(cases[i].key);
		char key[200], hex[HD_SHA256_HEX];

		for (size_t k = 0; k < cases[i].repeat; k++)
			memcpy(key + k * n, cases[i].key, n);
		hd_hmac_sha256_hex(key, n * cases[i].repeat, cases[i].text, strlen(cases[i].text), hex);
		EXPECT_STR(hex, cases[i].want);
	}
}

TEST(secrets_are_compared_whole_and_wiped)
{
	char a[] = "0123456789", b[] = "0123456780";

	EXPECT(hd_equal_constant_time(a, b, 9));
	EXPECT(!hd_equal_constant_time(a, b, 10));
	hd_wipe(a, sizeof(a));
	for (size_t i = 0; i < sizeof(a); i++)
		EXPECT(!a[i]);
}

TEST_MAIN(RUN(the_examples_of_the_standard_come_out), RUN(a_sum_taken_in_pieces_is_the_sum_of_the_whole),
	RUN(the_examples_of_rfc_4231_come_out), RUN(secrets_are_compared_whole_and_wiped))
