/*
 * signing_key.c - see signing_key.h
 */
#include "trust/signing_key.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void set_id(struct hd_signing_key *k, const char *digest)
{
	snprintf(k->id, sizeof(k->id), "%.*s", HD_SIGNING_KEY_ID - 1, digest);
}

static int set_pair(struct hd_signing_key *k, const char *pem, size_t n, const char *path, struct hd_err *err)
{
	uint8_t public_key[HD_ED25519_PUBLIC];
	char id[HD_SHA256_HEX];
	int rc = hd_ed25519_read(&k->pair, pem, n, path, err);

	if (rc < 0)
		return rc;
	hd_ed25519_public(k->pair, public_key);
	hd_sha256_hex(public_key, sizeof(public_key), id);
	set_id(k, id);
	return 0;
}

int hd_signing_key_set(struct hd_signing_key *k, const void *bytes, size_t n, const char *path, struct hd_err *err)
{
	const char *p = bytes;
	char id[HD_SHA256_HEX];

	*k = (struct hd_signing_key){ 0 };
	if (hd_ed25519_is_pem(p, n))
		return set_pair(k, p, n, path, err);
	if (n && p[n - 1] == '\n')
		n--;
	if (n && p[n - 1] == '\r')
		n--;
	if (n < HD_SIGNING_KEY_MIN || n > HD_SIGNING_KEY_MAX)
		return hd_fail(err, HD_EFORMAT,
			"%s: not a key: expected an Ed25519 key in PEM form, or a secret of %d to %d bytes, but the "
			"file has %zu; create one with 'openssl genpkey -algorithm ed25519'",
			path, HD_SIGNING_KEY_MIN, HD_SIGNING_KEY_MAX, n);
	memcpy(k->bytes, p, n);
	k->n = n;
	hd_hmac_sha256_hex(k->bytes, k->n, "hotdrift key 1\n", strlen("hotdrift key 1\n"), id);
	set_id(k, id);
	return 0;
}

bool hd_signing_key_can_sign(const struct hd_signing_key *k)
{
	return !k->pair || hd_ed25519_can_sign(k->pair);
}

/*
 * Fail if the file mode lets every user read or write the key; warn if it lets the group.  Pipes and terminals are
 * accepted with any mode.
 */
static int check_mode(const struct hd_signing_key *k, int fd, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct stat st;
	unsigned mode;

	if (!hd_signing_key_can_sign(k) || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	mode = (unsigned)st.st_mode & 0777;
	if (mode & 007)
		return hd_fail(err, HD_EFORMAT,
			"%s: every user of this machine can read or write this key (mode %03o): run 'chmod 600', and "
			"create a new one if others may have read it",
			path, mode);
	if (mode & 070)
		hd_warn(log, "key.readable", "chmod 600 the key",
			"%s: the file's group can read or write this key (mode %03o)", path, mode);
	return 0;
}

static int slurp(int fd, const char *path, uint8_t *bytes, size_t room, size_t *got, struct hd_err *err)
{
	ssize_t n;

	for (*got = 0; *got < room && (n = read(fd, bytes + *got, room - *got)) != 0; *got += n > 0 ? (size_t)n : 0)
		if (n < 0 && errno != EINTR)
			return hd_fail_errno(err, HD_EIO, errno, "%s: cannot read the key", path);
	return 0;
}

int hd_signing_key_read(struct hd_signing_key *k, const char *path, bool to_sign, struct hd_log *log,
	struct hd_err *err)
{
	uint8_t bytes[HD_SIGNING_KEY_MAX + 3];		/* a key, a line end, and one byte to detect longer files */
	size_t n = 0;
	int fd = hd_file_open(path, err), rc;

	if (fd < 0)
		return fd;
	rc = slurp(fd, path, bytes, sizeof(bytes), &n, err);
	if (rc >= 0)
		rc = hd_signing_key_set(k, bytes, n, path, err);
	hd_wipe(bytes, sizeof(bytes));
	if (rc >= 0)
		rc = check_mode(k, fd, path, log, err);
	if (rc >= 0 && to_sign && !hd_signing_key_can_sign(k))
		rc = hd_fail(err, HD_EUSAGE, "%s: a public key cannot sign; the private key of the pair is needed here",
			path);
	close(fd);
	if (rc < 0)
		hd_signing_key_release(k);
	return rc;
}

void hd_signing_key_release(struct hd_signing_key *k)
{
	hd_ed25519_free(k->pair);
	hd_wipe(k, sizeof(*k));
}
