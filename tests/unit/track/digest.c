/*
 * digest.c - compute SHA-256 for the examples of FIPS 180-4, and compare with libcrypto for lengths around multiples
 * of a block
 */
#include "test.h"

#include "base/sha256.h"
#include "track/digest.h"

#include <string.h>

static void expect(const char *text, const char *want)
{
	char hex[HD_DIGEST_HEX];

	hd_digest_sha256(text, strlen(text), hex);
	EXPECT_STR(hex, want);
}

TEST(the_published_examples_have_their_published_digests)
{
	expect("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(libcrypto_computes_the_same_digest_for_every_length_up_to_four_blocks)
{
	char bytes[256], ours[HD_DIGEST_HEX], theirs[HD_SHA256_HEX];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 151 + 7);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		hd_digest_sha256(bytes, n, ours);
		hd_sha256_hex(bytes, n, theirs);
		EXPECT_STR(ours, theirs);
	}
}

TEST_MAIN(RUN(the_published_examples_have_their_published_digests),
	  RUN(libcrypto_computes_the_same_digest_for_every_length_up_to_four_blocks))
