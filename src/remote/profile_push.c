/*
 * profile_push.c - see profile_push.h
 */
#include "remote/profile_push.h"
#include "base/file.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/base64.h"
#include "base/uri_encode.h"
#include "remote/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_WAIT_MS = 500, MOST_WAIT_MS = 60000, TOKEN_BYTES = 16384 };

/* ---- checks */

/* Return true if the URL is http:// to a loopback address. */
static bool is_local(const char *url)
{
	static const char *const hosts[] = { "localhost", "127.0.0.1", "[::1]" };

	for (size_t i = 0; !strncmp(url, "http://", 7) && i < HD_COUNT(hosts); i++) {
		size_t n = strlen(hosts[i]);

		/* strchr() also finds the NUL at the end of the string */
		if (!strncmp(url + 7, hosts[i], n) && strchr(":/", url[7 + n]))
			return true;
	}
	return false;
}

static bool is_label(const char *s)
{
	const char *p = s;

	while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' || (p > s && *p >= '0' && *p <= '9'))
		p++;
	return p > s && *p == '=' && p[1];
}

int hd_profile_push_check(const struct hd_push_opts *o, struct hd_err *err)
{
	const char *host = !strncmp(o->url, "https://", 8) ? o->url + 8
		: !strncmp(o->url, "http://", 7) ? o->url + 7 : NULL;

	if (!host || !*host || strpbrk(o->url, " \t\r\n?#"))
		return hd_fail(err, HD_EUSAGE,
			"push: --profile needs the URL of a server, https://HOST[:PORT][/PATH], not '%s'", o->url);
	if (strcspn(host, "@") < strcspn(host, "/"))
		return hd_fail(err, HD_EUSAGE,
			"push: a URL with a password is visible to all users; use --token-file or $HOTDRIFT_TOKEN");
	if (o->http.token && !is_local(o->url) && strncmp(o->url, "https://", 8))
		return hd_fail(err, HD_EUSAGE,
			"push: a token is sent to https:// only, or to this machine, not to '%s'",
			o->url);
	for (size_t i = 0; i < o->labels.n; i++)
		if (!is_label(o->labels.items[i]))
			return hd_fail(err, HD_EUSAGE,
				"push: --label takes NAME=VALUE, a name of letters, digits and _, not '%s'",
				o->labels.items[i]);
	return 0;
}

int hd_profile_push_token(struct hd_buf *token, const char *path, struct hd_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: the token cannot be read", path);
	else if (!S_ISREG(st.st_mode))
		rc = hd_fail(err, HD_EUSAGE, "%s: a token is read from a regular file only", path);
	else if ((st.st_mode & 077) || (st.st_uid != geteuid() && st.st_uid))
		rc = hd_fail(err, HD_EUSAGE, "%s: other users can read this token; type chmod 600 and change the token",
			path);
	else
		rc = hd_file_slurp(fd, path, TOKEN_BYTES, token, err);
	if (fd >= 0)
		close(fd);
	while (rc >= 0 && token->len && strchr("\r\n \t", token->data[token->len - 1]))
		token->data[--token->len] = '\0';
	for (size_t i = 0; rc >= 0 && i < token->len; i++)
		if (token->data[i] <= ' ' || token->data[i] > '~')
			rc = hd_fail(err, HD_EUSAGE, "%s: a token is one line of visible ASCII characters", path);
	if (rc >= 0 && !token->len)
		rc = hd_fail(err, HD_EUSAGE, "%s: has no token", path);
	return rc < 0 ? rc : 0;
}

/* ---- requests */

static void label(struct hd_jsonw *w, const char *name, size_t n, const char *value)
{
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_strn(w, "name", name, n);
	hd_jsonw_str(w, "value", value);
	hd_jsonw_close(w, '}');
}

static void labels(struct hd_jsonw *w, const struct hd_push_opts *o)
{
	label(w, "__name__", 8, "process_cpu");
	label(w, "service_name", 12, o->name);
	for (size_t i = 0; i < o->labels.n; i++) {
		const char *s = o->labels.items[i], *value = strchr(s, '=');

		label(w, s, (size_t)(value - s), value + 1);
	}
}

/*
 * Append the JSON body of a request.  Pyroscope and Parca use the same JSON, except that Parca puts the array of labels
 * into an object.
 */
static void json_body(struct hd_buf *out, const struct hd_push_opts *o, const void *pprof, size_t n)
{
	struct hd_jsonw w = hd_jsonw_to(out);
	struct hd_buf raw = { 0 };

	hd_buf_addc(&raw, '"');
	hd_base64_add(&raw, pprof, n);
	hd_buf_addc(&raw, '"');
	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_open(&w, "series", '[');
	hd_jsonw_open(&w, NULL, '{');
	if (o->protocol == HD_PUSH_PARCA)
		hd_jsonw_open(&w, "labels", '{');
	hd_jsonw_open(&w, "labels", '[');
	labels(&w, o);
	hd_jsonw_close(&w, ']');
	if (o->protocol == HD_PUSH_PARCA)
		hd_jsonw_close(&w, '}');
	hd_jsonw_open(&w, "samples", '[');
	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_raw(&w, "rawProfile", raw.data);
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_buf_release(&raw);
}

/* Append the query of /ingest.  The value of `name` is service{label=value,...}, percent-encoded. */
static void ingest_query(struct hd_buf *url, const struct hd_push_opts *o)
{
	struct hd_buf name = { 0 };

	hd_buf_adds(&name, o->name);
	hd_buf_addc(&name, '{');
	for (size_t i = 0; i < o->labels.n; i++)
		hd_buf_addf(&name, "%s%s", i ? "," : "", o->labels.items[i]);
	hd_buf_addc(&name, '}');
	hd_buf_adds(url, "/ingest?format=pprof&name=");
	hd_enc_uri(url, name.data, name.len);
	hd_buf_release(&name);
}

static void make_request(struct hd_spool_entry *e, const struct hd_push_opts *o, const void *pprof, size_t n)
{
	size_t length = strlen(o->url);

	while (length && o->url[length - 1] == '/')
		length--;
	hd_buf_add(&e->url, o->url, length);
	hd_buf_adds(&e->content_type, o->protocol == HD_PUSH_INGEST ? "application/octet-stream" : "application/json");
	if (o->protocol == HD_PUSH_INGEST) {
		ingest_query(&e->url, o);
		hd_buf_add(&e->body, pprof, n);
		return;
	}
	hd_buf_adds(&e->url, o->protocol == HD_PUSH_PARCA ? "/profiles/writeraw" : "/push.v1.PusherService/Push");
	json_body(&e->body, o, pprof, n);
}

/* ---- sending */

static void wait_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);	/* a signal ends the wait early, which is harmless */
}

/*
 * Send a request, with retries.  Returns 1 if it was sent, 0 if it should be sent later, or HD_EIO if the server
 * refused it.  *err is set if the result is 0 or HD_EIO.
 */
static int send_request(struct hd_http *h, const struct hd_spool_entry *e, const struct hd_push_opts *o,
	struct hd_err *err)
{
	struct hd_http_reply reply = { 0 };
	long wait = FIRST_WAIT_MS;
	bool later = true;

	for (unsigned i = 0; later; i++) {
		hd_http_post(h, &reply, e->url.data, e->content_type.data, e->body.data, e->body.len);
		later = !reply.status || reply.status == 408 || reply.status == 429 || reply.status >= 500;
		if (!later || i == o->retries || reply.retry_after_s * 1000 > MOST_WAIT_MS)
			break;
		wait_ms(reply.retry_after_s ? reply.retry_after_s * 1000 : wait);
		wait = wait * 2 < MOST_WAIT_MS ? wait * 2 : MOST_WAIT_MS;
	}
	if (reply.status >= 200 && reply.status < 300) {
		hd_buf_release(&reply.text);
		return 1;
	}
	if (reply.status)	/* control characters are escaped when the message is printed */
		hd_fail(err, HD_EIO, "push: %s: the server answers %ld%s%.200s", o->url, reply.status,
			reply.text.len ? ": " : "", hd_buf_str(&reply.text));
	else
		hd_fail(err, HD_EIO, "push: %s: no answer: %.200s", o->url, hd_buf_str(&reply.text));
	hd_buf_release(&reply.text);
	return later ? 0 : HD_EIO;
}

/* Return true if a spool entry is for the server at `url`: the token must not be sent to any other server. */
static bool for_this_server(const struct hd_spool_entry *e, const char *url)
{
	size_t n = strlen(url);

	while (n && url[n - 1] == '/')
		n--;
	return e->url.len > n && !memcmp(e->url.data, url, n) && e->url.data[n] == '/';
}

/*
 * Send the entries of the spool that are for this server, oldest first.  Returns 1, or 0 if the server cannot take
 * requests at present, or < 0 if the spool cannot be read.
 */
static int resend(struct hd_push_result *result, struct hd_http *h, const struct hd_push_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	char **names;
	size_t n;
	int rc = hd_spool_list(&names, &n, o->spool, err), sent = 1;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct hd_spool_entry e;

		rc = hd_spool_read(&e, o->spool, names[i], err);
		if (rc <= 0)
			continue;
		if (!for_this_server(&e, o->url) || sent == 0) {
			result->waiting++;
		} else if ((sent = send_request(h, &e, o, err)) > 0) {
			hd_spool_remove(o->spool, names[i]);
			result->resent++;
		} else if (sent == 0) {
			result->waiting++;
		} else {	/* drop the entry, because the server would refuse it each time */
			hd_warn(log, "lost.refused", "see the answer of the server", "a spooled profile is dropped: %s",
				err ? err->msg : "");
			hd_spool_remove(o->spool, names[i]);
			sent = 1;
		}
		hd_spool_entry_release(&e);
	}
	hd_spool_free_names(names, n);
	return rc < 0 ? rc : sent;
}

int hd_profile_push(struct hd_push_result *result, const struct hd_push_opts *o, const void *pprof, size_t n,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_spool_entry e = { 0 };
	struct hd_http *h;
	int rc = hd_http_open(&h, &o->http, err), sent = 1;

	*result = (struct hd_push_result){ 0 };
	if (rc < 0)
		return rc;
	make_request(&e, o, pprof, n);
	if (o->spool)
		rc = sent = resend(result, h, o, log, err);
	if (rc >= 0 && sent > 0)
		rc = sent = send_request(h, &e, o, err);
	if (rc > 0)
		result->sent = true;
	else if (rc == 0 && o->spool) {
		hd_warn(log, "push.spooled", "push again when the server answers", "the profile is kept in %s: %s",
			o->spool, err ? err->msg : "");
		rc = hd_spool_add(o->spool, &e, log, err);
		result->waiting += rc >= 0;
	} else if (rc == 0)
		rc = HD_EIO;
	if (rc >= 0 && err)
		*err = (struct hd_err){ 0 };
	hd_spool_entry_release(&e);
	hd_http_close(h);
	return rc < 0 ? rc : 0;
}
