/* ed25519.c - make and verify the signatures of RFC 8032, and reject invalid keys */
#include "test.h"

#include "base/ed25519.h"
#include "base/hex.h"

#include <stdlib.h>
#include <string.h>

/* The keys of tests 1 and 2 in RFC 8032, section 7.1, in the form in which openssl writes keys. */
static const char private_1[] =
	"-----BEGIN PRIVATE KEY-----\n"
	"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
	"-----END PRIVATE KEY-----\n";
static const char public_1[] =
	"-----BEGIN PUBLIC KEY-----\n"
	"MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
	"-----END PUBLIC KEY-----\n";
static const char signature_1[] =
	"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490"
	"1555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

static struct hd_ed25519 *read_key(const char *pem)
{
	struct hd_ed25519 *k = NULL;
	struct hd_err err = { 0 };

	if (hd_ed25519_read(&k, pem, strlen(pem), "key", &err) < 0)
		print_message("%s\n", err.msg);
	EXPECT(k != NULL);
	return k;
}

TEST(the_signature_of_the_empty_text_is_that_of_the_standard)
{
	struct hd_ed25519 *pair = read_key(private_1), *public = read_key(public_1);
	uint8_t signature[HD_ED25519_SIGNATURE], a[HD_ED25519_PUBLIC], b[HD_ED25519_PUBLIC];
	char hex[2 * HD_ED25519_SIGNATURE + 1];

	hd_ed25519_sign(pair, "", 0, signature);
	hd_hex(signature, sizeof(signature), hex);
	EXPECT_STR(hex, signature_1);
	hd_ed25519_public(pair, a);
	hd_ed25519_public(public, b);
	EXPECT_MEM(a, b, sizeof(a));
	EXPECT(hd_ed25519_can_sign(pair) && !hd_ed25519_can_sign(public));
	hd_ed25519_free(pair);
	hd_ed25519_free(public);
}

TEST(a_signature_holds_for_its_text_and_key_only)
{
	struct hd_ed25519 *pair = read_key(private_1), *public = read_key(public_1);
	uint8_t signature[HD_ED25519_SIGNATURE];

	hd_ed25519_sign(pair, "a text", 6, signature);
	EXPECT(hd_ed25519_holds(public, "a text", 6, signature));
	EXPECT(hd_ed25519_holds(pair, "a text", 6, signature));
	EXPECT(!hd_ed25519_holds(public, "a text", 5, signature));
	for (size_t i = 0; i < sizeof(signature); i++) {
		signature[i] ^= 1;
		EXPECT(!hd_ed25519_holds(public, "a text", 6, signature));
		signature[i] ^= 1;
	}
	hd_ed25519_free(pair);
	hd_ed25519_free(public);
}

TEST(what_is_no_key_of_ed25519_is_refused_with_a_way_to_make_one)
{
	static const struct { const char *pem, *why;
	} bad[] = {
		{ "-----BEGIN PRIVATE KEY-----\n",
			"k: a PEM file, but not an Ed25519 key of openssl: 'openssl genpkey -algorithm ed25519' makes "
			"one" },
		{ "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v\n-----END PRIVATE KEY-----\n",
			"not an Ed25519 key" },
		/* an X25519 key, which is not for signatures */
		{ "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END "
			"PUBLIC KEY-----\n",
			"not an Ed25519 key" },
		{ "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMC4=\n-----END ENCRYPTED PRIVATE KEY-----\n",
			"k: the key is encrypted: 'openssl pkey" },
		{ "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n",
			"not an Ed25519 key" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hd_ed25519 *k = NULL;
		struct hd_err err = { 0 };

		EXPECT(hd_ed25519_is_pem(bad[i].pem, strlen(bad[i].pem)));
		EXPECT_INT(hd_ed25519_read(&k, bad[i].pem, strlen(bad[i].pem), "k", &err), HD_EFORMAT);
		EXPECT(strstr(err.msg, bad[i].why));
		EXPECT(!k);
	}
	EXPECT(!hd_ed25519_is_pem("a secret of sixteen bytes", 25));
}

TEST_MAIN(RUN(the_signature_of_the_empty_text_is_that_of_the_standard),
	RUN(a_signature_holds_for_its_text_and_key_only),
	RUN(what_is_no_key_of_ed25519_is_refused_with_a_way_to_make_one))
