/*
 * http.h - send one HTTP POST through libcurl
 *
 * libcurl is loaded with dlopen() when it is needed: linking it would slow down every start of the program.
 * Certificates are verified, redirects are not followed (the token would be sent to another server), and the proxy
 * comes from the environment (https_proxy, no_proxy) as libcurl reads it.  Not thread-safe.
 */
#ifndef HD_REMOTE_HTTP_H
#define HD_REMOTE_HTTP_H

#include "base/buf.h"
#include "base/err.h"

struct hd_http;

struct hd_http_opts {
	const char *token;		/* sent as "Authorization: Bearer ..."; NULL: none */
	const char *ca_file;		/* file with certificates to trust; NULL: trust those of the system */
	unsigned timeout_s;		/* time limit for one request, in seconds */
};

struct hd_http_reply {
	long status;			/* HTTP status; 0: the server did not answer, `text` has the reason */
	long retry_after_s;		/* value of the header Retry-After; 0: no such header */
	struct hd_buf text;		/* the first 4096 bytes of the server's answer, with any control characters */
};

/*
 * Load libcurl.  Fails with HD_EIO if it is missing or too old, or if hotdrift was built without it.  o->ca_file is
 * borrowed until hd_http_close(); the token is copied, and wiped at the end.
 */
int hd_http_open(struct hd_http **out, const struct hd_http_opts *o, struct hd_err *err);
void hd_http_close(struct hd_http *h);	/* accepts NULL */
/*
 * Send a POST request with the n bytes of `body`.  *reply must be zeroed before the first call.  Each call overwrites
 * it.  The caller releases reply->text.
 */
void hd_http_post(struct hd_http *h, struct hd_http_reply *reply, const char *url, const char *content_type,
	const void *body, size_t n);

#endif
