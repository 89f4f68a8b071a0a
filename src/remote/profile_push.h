/*
 * profile_push.h - send a profile to a server for continuous profiles
 *
 *     pyroscope   POST URL/push.v1.PusherService/Push   JSON of the Connect protocol, the profile in base64
 *     ingest      POST URL/ingest?name=...&format=pprof the pprof file itself (older Pyroscope, Grafana agents)
 *     parca       POST URL/profiles/writeraw            JSON of Parca's gRPC gateway, the profile in base64
 *
 * A request without an answer, or answered by 408, 429 or 5xx, is repeated up to `retries` times, after 0.5, 1, 2, ...
 * (at most 60) seconds or after Retry-After.  If it still fails, or if Retry-After is longer than 60 s, it is stored in
 * a folder, the spool (spool.h), and the next push to the same URL sends it first.  With any other answer than 2xx, the
 * profile is dropped.
 *
 * Sources: push/v1/push.proto of Pyroscope, its documentation of /ingest, profilestore.proto of Parca.
 */
#ifndef HD_REMOTE_PROFILE_PUSH_H
#define HD_REMOTE_PROFILE_PUSH_H

#include "base/log.h"
#include "base/string_list.h"
#include "remote/http.h"

enum hd_push_protocol { HD_PUSH_PYROSCOPE, HD_PUSH_INGEST, HD_PUSH_PARCA };
#define HD_PUSH_PROTOCOLS	"pyroscope|ingest|parca"

struct hd_push_opts {
	enum hd_push_protocol protocol;
	const char *url;		/* URL of the server: http:// or https:// */
	const char *name;		/* value of the label service_name; HD_PUSH_INGEST: the application's name */
	struct hd_string_list labels;	/* NAME=VALUE */
	const char *spool;		/* folder; NULL: nothing is spooled */
	unsigned retries;		/* how often a failed request is repeated */
	struct hd_http_opts http;
};

struct hd_push_result {
	bool sent;			/* true: this profile was sent; false: it was spooled */
	size_t resent;			/* number of spool entries that were sent */
	size_t waiting;			/* number of spool entries that wait for a later push, for any server */
};

/*
 * Check the URL, the labels, and whether the token may be sent.  Returns HD_EUSAGE with a message if not.  A token may
 * only be sent over https://, or over http:// to this machine.  Labels have the form [A-Za-z_][A-Za-z0-9_]*=VALUE; VALUE
 * is not empty.
 */
int hd_profile_push_check(const struct hd_push_opts *o, struct hd_err *err);
/*
 * Send `pprof` (n bytes, gzipped), after the entries of the spool.  Returns HD_EIO if libcurl cannot be loaded, if the
 * server refuses the profile, if the spool cannot be read or written, or if the server cannot take the profile at
 * present and o->spool is NULL.  HD_EFORMAT if an entry of the spool is too large.
 */
int hd_profile_push(struct hd_push_result *result, const struct hd_push_opts *o, const void *pprof, size_t n,
	struct hd_log *log, struct hd_err *err);
/*
 * Read a bearer token from a file, without blanks and line ends after it.  Returns HD_EUSAGE if `path` is not a regular
 * file, if its group or others have any right to it, if it belongs to another user than this one or root, or if it is
 * not one line of visible ASCII characters; HD_EFORMAT if it has more than 16384 bytes; HD_EIO if it cannot be read.
 * The caller wipes and releases *token in any case.
 */
int hd_profile_push_token(struct hd_buf *token, const char *path, struct hd_err *err);

#endif
