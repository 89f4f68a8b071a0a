/*
 * page.c - see page.h
 */
#include "web/page.h"

#include "base/assets.h"
#include "base/base64.h"
#include "base/encode.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <string.h>

/* Append the hash of a script, which is the text between <script> and </script>, to the Content-Security-Policy. */
static void add_hash(struct hd_buf *policy, const struct hd_buf *script)
{
	struct hd_sha256 *h = hd_sha256_new();
	uint8_t sum[HD_SHA256_BYTES];

	hd_sha256_add(h, hd_buf_str(script), script->len);
	hd_sha256_end(h, sum);
	hd_buf_adds(policy, " 'sha256-");
	hd_base64_add(policy, sum, sizeof(sum));
	hd_buf_addc(policy, '\'');
}

static void put_piece(struct hd_outfile *out, const char *name, size_t len, const struct hd_page_piece *pieces,
	size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(pieces[i].name) == len && !memcmp(pieces[i].name, name, len) && pieces[i].text->len) {
			hd_outfile_add(out, pieces[i].before, strlen(pieces[i].before));
			hd_outfile_add(out, pieces[i].text->data, pieces[i].text->len);
			hd_outfile_add(out, pieces[i].after, strlen(pieces[i].after));
		}
}

static void expand(struct hd_outfile *out, const char *asset, const struct hd_page_piece *pieces, size_t n)
{
	const struct hd_asset *page = hd_asset_find(asset);
	const char *at = page->data, *end = at + page->len;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at)), *next = nl ? nl + 1 : end;
		size_t len = (size_t)(next - at);

		if (len > 3 && at[0] == '@' && at[len - 2] == '@')
			put_piece(out, at + 1, len - 3, pieces, n);
		else
			hd_outfile_add(out, at, len);
		at = next;
	}
}

void hd_page_init(struct hd_page *p, const char *title)
{
	*p = (struct hd_page){ .title = { 0 } };
	hd_enc_xml(&p->title, title, strlen(title));
	hd_outfile_memory(&p->body);
}

void hd_page_body(struct hd_page *p, const char *asset, const struct hd_page_piece *pieces, size_t n)
{
	expand(&p->body, asset, pieces, n);
}

void hd_page_script(struct hd_page *p, const struct hd_buf *script)
{
	if (!script->len)
		return;
	add_hash(&p->policy, script);
	hd_buf_adds(&p->scripts, "<script>");
	hd_buf_add(&p->scripts, script->data, script->len);
	hd_buf_adds(&p->scripts, "</script>\n");
}

void hd_page_write(struct hd_page *p, struct hd_outfile *out)
{
	const struct hd_page_piece pieces[] = {
		{ "policy",
		  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		  "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src",
		  &p->policy, "\">\n" },
		{ "title", "<title>", &p->title, "</title>\n" },
		{ "css", "<style>\n", &p->css, "</style>\n" },
		{ "body", "", &p->body.pending, "" },
		{ "data", "<script type=\"application/json\" id=\"data\">\n", &p->data, "</script>\n" },
		{ "scripts", "", &p->scripts, "" },
	};

	expand(out, "shell.html", pieces, HD_COUNT(pieces));
	hd_buf_release(&p->title);
	hd_buf_release(&p->css);
	hd_buf_release(&p->data);
	hd_buf_release(&p->scripts);
	hd_buf_release(&p->policy);
	hd_outfile_discard(&p->body);
}
