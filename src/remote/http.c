/*
 * http.c - see http.h
 */
#include "remote/http.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <stdlib.h>

#ifdef HAVE_CURL

#include <curl/curl.h>
#include <dlfcn.h>

enum { REPLY_BYTES = 4096, CONNECT_SECONDS = 10 };

/* The functions of libcurl that are used; X(name) is curl_name. */
#define LIBCURL_FUNCTIONS(X) \
	X(easy_init) X(easy_setopt) X(easy_perform) X(easy_getinfo) X(easy_strerror) X(easy_cleanup) X(easy_reset) \
	X(slist_append) X(slist_free_all) X(global_init)

struct libcurl {
#define X(name) __typeof__(curl_##name) *name;
	LIBCURL_FUNCTIONS(X)
#undef X
};

struct hd_http {
	struct libcurl lib;
	CURL *easy;
	struct hd_http_opts opts;
	struct hd_buf authorization;
};

/*
 * curl.h also defines macros with the names of these two functions, which check the types of arguments.  hd_http does
 * not use the macros, because it calls the functions through pointers.
 */
#undef curl_easy_setopt
#undef curl_easy_getinfo

static int load(struct libcurl *lib, struct hd_err *err)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	const char *lacks = NULL;

#define X(name) "curl_" #name "\0"
	for (size_t i = 0; i < HD_COUNT(names) && !lacks; i++)
		if (hd_library_load(names[i], RTLD_NOW | RTLD_LOCAL, LIBCURL_FUNCTIONS(X), lib, &lacks))
			return 0;
#undef X
	if (lacks)
		return hd_fail(err, HD_EIO, "push: libcurl is too old: it has no %s", lacks);
	return hd_fail(err, HD_EIO, "push: %s cannot be loaded: install libcurl4", names[0]);
}

int hd_http_open(struct hd_http **out, const struct hd_http_opts *o, struct hd_err *err)
{
	struct hd_http *h = hd_new(struct hd_http);
	int rc = load(&h->lib, err);

	h->opts = *o;
	if (rc >= 0 && (h->lib.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(h->easy = h->lib.easy_init())))
		rc = hd_fail(err, HD_EIO, "push: libcurl cannot be initialised");
	if (rc < 0) {
		hd_http_close(h);
		return rc;
	}
	if (o->token)
		hd_buf_addf(&h->authorization, "Authorization: Bearer %s", o->token);
	*out = h;
	return 0;
}

void hd_http_close(struct hd_http *h)
{
	if (!h)
		return;
	if (h->easy)
		h->lib.easy_cleanup(h->easy);
	if (h->authorization.data)
		hd_wipe(h->authorization.data, h->authorization.cap);
	hd_buf_release(&h->authorization);
	free(h);
}

static size_t on_reply(char *p, size_t size, size_t n, void *arg)
{
	struct hd_buf *text = arg;
	size_t room = REPLY_BYTES - text->len, bytes = size * n;

	hd_buf_add(text, p, bytes < room ? bytes : room);
	return bytes;
}

void hd_http_post(struct hd_http *h, struct hd_http_reply *reply, const char *url, const char *content_type,
	const void *body, size_t n)
{
	struct curl_slist *headers = NULL;
	struct hd_buf type = { 0 };
	char why[CURL_ERROR_SIZE] = "";
	curl_off_t after = 0;
	CURLcode rc;

	hd_buf_reset(&reply->text);
	hd_buf_adds(&reply->text, "");
	reply->status = reply->retry_after_s = 0;
	hd_buf_addf(&type, "Content-Type: %s", content_type);
	headers = h->lib.slist_append(headers, type.data);
	headers = h->lib.slist_append(headers, "Connect-Protocol-Version: 1");
	headers = h->lib.slist_append(headers, "Expect:");
	if (h->authorization.len)
		headers = h->lib.slist_append(headers, h->authorization.data);
	h->lib.easy_reset(h->easy);
	h->lib.easy_setopt(h->easy, CURLOPT_URL, url);
	h->lib.easy_setopt(h->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	h->lib.easy_setopt(h->easy, CURLOPT_FOLLOWLOCATION, 0L);
	h->lib.easy_setopt(h->easy, CURLOPT_NOSIGNAL, 1L);
	h->lib.easy_setopt(h->easy, CURLOPT_SSL_VERIFYPEER, 1L);
	h->lib.easy_setopt(h->easy, CURLOPT_SSL_VERIFYHOST, 2L);
	if (h->opts.ca_file)
		h->lib.easy_setopt(h->easy, CURLOPT_CAINFO, h->opts.ca_file);
	h->lib.easy_setopt(h->easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	h->lib.easy_setopt(h->easy, CURLOPT_TIMEOUT, (long)h->opts.timeout_s);
	h->lib.easy_setopt(h->easy, CURLOPT_USERAGENT, "hotdrift/" HD_VERSION);
	h->lib.easy_setopt(h->easy, CURLOPT_HTTPHEADER, headers);
	h->lib.easy_setopt(h->easy, CURLOPT_POST, 1L);
	h->lib.easy_setopt(h->easy, CURLOPT_POSTFIELDS, body);
	h->lib.easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
	h->lib.easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, on_reply);
	h->lib.easy_setopt(h->easy, CURLOPT_WRITEDATA, &reply->text);
	h->lib.easy_setopt(h->easy, CURLOPT_ERRORBUFFER, why);
	rc = h->lib.easy_perform(h->easy);
	if (rc == CURLE_OK) {
		h->lib.easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &reply->status);
		h->lib.easy_getinfo(h->easy, CURLINFO_RETRY_AFTER, &after);
		reply->retry_after_s = after > 0 ? (long)after : 0;
	} else {
		hd_buf_reset(&reply->text);
		hd_buf_adds(&reply->text, *why ? why : h->lib.easy_strerror(rc));
	}
	h->lib.easy_setopt(h->easy, CURLOPT_ERRORBUFFER, NULL);
	h->lib.slist_free_all(headers);
	hd_buf_release(&type);
}

#else

int hd_http_open(struct hd_http **out, const struct hd_http_opts *o, struct hd_err *err)
{
	(void)out;
	(void)o;
	return hd_fail(err, HD_EIO,
		"push: this hotdrift was built without libcurl; install libcurl4-openssl-dev and build again");
}

void hd_http_close(struct hd_http *h)
{
	(void)h;
}

void hd_http_post(struct hd_http *h, struct hd_http_reply *reply, const char *url, const char *content_type,
	const void *body, size_t n)
{
	(void)h; (void)reply; (void)url; (void)content_type; (void)body; (void)n;
}

#endif
