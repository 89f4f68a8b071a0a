/* bundle_extras.c - what a bundle has besides recording and symbols: jitdumps, and the machine on which it was made */
#include "bundled_pair.h"

#include "bundle/bundle.h"
#include "unit/symbols/jitdump_builder.h"

#include <sched.h>
#include <sys/utsname.h>
#include <sys/wait.h>

static struct pair with_jitdump(void)
{
	struct image im = begin(false, 0, 0);
	struct pair p = { .at = place_of(&im) };
	struct jit_made m = jit_begin(false, 10);
	char *dump = in_dir(p.at.dir, "tmp/jit-10.dump");

	tasks(&im);
	map(&im, 10, USER, 0x9000, 0x1000, 0, "/tmp/jit-10.dump");
	map(&im, 10, USER, 0x4000, 0x1000, 0, "//anon");
	five_samples(&im);
	sample(&im, (struct taken){ 1, USER, 0x4110, 10, 10, SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, 0x4110) });
	free(put_file(p.at.dir, "t.data", im.b.data, im.b.len));
	jit_load(&m, SECOND, "compiled", 0x4100, 0x100, 1);
	jit_put(&m, dump);
	free(dump);
	p.bundle = bundle_of(p.at.path, &(struct hd_pipeline_opts){ .symfs = p.at.dir }, &p.stats);
	EXPECT_INT(p.stats.jitdumps, 1);
	hd_buf_release(&im.b);
	return p;
}

/*
 * Copy the sections of the bundle, but with the n bytes at `dump` as its jitdump, or without a jitdump if `there` is
 * false.  The caller frees the result.
 */
static struct hd_buf with_other_dump(const struct pair *p, const void *dump, size_t n, bool there)
{
	char *path = put_file(p->at.dir, "y.hdb", p->bundle.data, p->bundle.len);
	struct hd_log log = { 0 };
	struct hd_bundle_writer *w;
	struct hd_buf bytes = { 0 };
	struct hd_outfile out;
	struct hd_bundle *b;

	EXPECT_INT(hd_bundle_open(&b, hd_file_open(path, NULL), path, &log, NULL), 0);
	hd_outfile_memory(&out);
	w = hd_bundle_begin(&out);
	for (size_t i = 0; i < hd_bundle_count(b); i++) {
		const struct hd_bundle_section *s = hd_bundle_get(b, i);
		struct hd_buf content = { 0 };

		if (s->type == HD_BUNDLE_FILE)
			hd_buf_add(&content, dump, n);
		else
			EXPECT_INT(hd_bundle_load(b, s, 1 << 20, &content, NULL), 0);
		if (s->type != HD_BUNDLE_FILE || there) {
			EXPECT_INT(hd_bundle_section(w, (enum hd_bundle_type)s->type, s->name, content.len, NULL), 0);
			EXPECT_INT(hd_bundle_add(w, hd_buf_str(&content), content.len, NULL), 0);
		}
		hd_buf_release(&content);
	}
	EXPECT_INT(hd_bundle_end(w, NULL), 0);
	hd_buf_add(&bytes, out.pending.data, out.pending.len);
	hd_outfile_discard(&out);
	hd_bundle_close(b);
	free(path);
	return bytes;
}

/* Expect that reading the bundle gives six samples, and the warning `code`, whose text contains `has`. */
static void expect_warned(const struct pair *p, const struct hd_buf *bytes, const char *code, const char *has)
{
	char *path = put_file(p->at.dir, "x.hdb", bytes->data, bytes->len);
	struct hd_pipeline_opts opts = { 0 };
	struct hd_profile *prof;

	EXPECT_INT(hd_pipeline_read(&prof, path, &opts, NULL), 0);
	expect_sums(prof);
	EXPECT_INT(prof->kept, 6);
	if (!hd_log_find(&prof->log, code) || !strstr(hd_log_find(&prof->log, code)->text, has))
		fail_msg("no %s with '%s'", code, has);
	hd_profile_free(prof);
	free(path);
}

TEST(a_missing_or_invalid_jitdump_costs_names_and_is_reported)
{
	struct pair p = with_jitdump();
	struct jit_made m = jit_begin(false, 11), cut = jit_begin(false, 10);
	struct hd_buf b = with_other_dump(&p, "", 0, false);

	expect_warned(&p, &b, "lost.bundle-file", "section FILE /tmp/jit-10.dump is missing");
	hd_buf_release(&b);
	b = with_other_dump(&p, "", 0, true);
	expect_warned(&p, &b, "symbols.jitdump-refused", "not a jitdump (0 bytes)");
	hd_buf_release(&b);
	b = with_other_dump(&p, m.b.data, m.b.len, true);
	expect_warned(&p, &b, "symbols.jitdump-refused", "belongs to process 11, not 10");
	hd_buf_release(&b);
	hd_buf_adds(&cut.b, "what is no record of any kind");
	b = with_other_dump(&p, cut.b.data, cut.b.len, true);
	expect_warned(&p, &b, "symbols.jitdump-damaged", "the record at 0x28");
	hd_buf_release(&b);
	hd_buf_release(&m.b);
	hd_buf_release(&cut.b);
	pair_release(&p);
}

/* The test flips one bit of each byte from the section of jitdump results up to the recording. */
TEST(a_damaged_jitdump_costs_no_sample)
{
	struct pair p = with_jitdump();
	char *path = put_file(p.at.dir, "y.hdb", p.bundle.data, p.bundle.len),
	     *before = told(path, (struct hd_pipeline_opts){ .strict = false });
	struct hd_log log = { 0 };
	struct hd_bundle *b;
	uint64_t from, to;
	bool lost;

	EXPECT(strstr(before, "compiled"));
	EXPECT_INT(hd_bundle_open(&b, hd_file_open(path, NULL), path, &log, NULL), 0);
	from = hd_bundle_find(b, HD_BUNDLE_JITDUMPS, NULL)->at;
	to = hd_bundle_find(b, HD_BUNDLE_RECORDING, NULL)->at - HD_BUNDLE_SECTION_HEAD;
	hd_bundle_close(b);
	for (uint64_t i = from; i < to; i++) {
		p.bundle.data[i] ^= 0x10;
		EXPECT_INT(kept(&p, p.bundle.data, p.bundle.len, &lost), 6);
		if (!lost) {
			char *after;

			free(put_file(p.at.dir, "y.hdb", p.bundle.data, p.bundle.len));
			after = told(path, (struct hd_pipeline_opts){ .strict = false });
			EXPECT_STR(after, before);
			free(after);
		}
		p.bundle.data[i] ^= 0x10;
	}
	free(before);
	free(path);
	pair_release(&p);
}

/* ---- reading the bundle in another container ---- */

/*
 * Read the input in a new mount namespace and return the output, which the caller frees; NULL if that is not
 * permitted.
 */
static char *told_elsewhere(const char *path)
{
	struct hd_buf text = { 0 };
	int ends[2], status = 1;
	ssize_t n;
	pid_t pid;

	EXPECT(pipe(ends) == 0);
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid) {
		char *said;

		if (unshare(CLONE_NEWNS))
			_exit(77);
		said = told(path, (struct hd_pipeline_opts){ .threads = 1 });
		_exit(hd_file_write_all(ends[1], said, strlen(said)) < 0);
	}
	close(ends[1]);
	while ((n = read(ends[0], hd_buf_reserve(&text, 4096), 4096)) > 0)
		text.len += (size_t)n;
	close(ends[0]);
	EXPECT(waitpid(pid, &status, 0) == pid);
	hd_buf_addc(&text, '\0');
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return hd_buf_take(&text);
	hd_buf_release(&text);
	return NULL;
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

/*
 * The bundle was made on this machine.  The recording has a process of this mount namespace, whose files are files of
 * this machine, and one of a container, whose files are not.
 */
TEST(a_bundle_gives_the_same_result_in_any_container)
{
	const struct attr a = { .type = PERF_TYPE_SOFTWARE, .sample_type = FIELDS, .flags = ID_ALL };
	struct image data = { 0 }, host = { 0 }, release = { 0 }, im;
	struct utsname u;
	struct pair p;
	char *here, *elsewhere;

	EXPECT(uname(&u) == 0);
	u32(&host, 64);
	text(&host, u.nodename, 64);
	u32(&release, 64);
	text(&release, u.release, 64);
	for (int pid = 10; pid <= 20; pid += 10) {	/* process 10 is in a container, 20 is in our namespaces */
		comm(&data, pid, pid, "app", 0);
		namespaces(&data, pid, pid == 10 ? 5 : inode_of("/proc/self/ns/mnt"), inode_of("/proc/self/ns/pid"));
		map(&data, pid, USER, 0x400000, 0x100000, 0, "/nowhere/app");
		sample(&data,
			(struct taken){ 1, USER, 0x401000, pid, pid, SECOND, 0, 1, CHAIN(HD_CONTEXT_USER, 0x401000) });
	}
	im = file_image(false, a, &data.b,
		(struct feature[]){ { HD_FEAT_HOSTNAME, &host.b }, { HD_FEAT_OSRELEASE, &release.b } }, 2);
	p = bundled(&im);
	free(put_file(p.at.dir, "t.data", p.bundle.data, p.bundle.len));
	here = told(p.at.path, (struct hd_pipeline_opts){ .threads = 1 });
	elsewhere = told_elsewhere(p.at.path);
	if (elsewhere)
		EXPECT_STR(elsewhere, here);
	EXPECT(!strstr(here, "lost."));
	free(here);
	free(elsewhere);
	pair_release(&p);
	hd_buf_release(&im.b);
	hd_buf_release(&data.b);
	hd_buf_release(&host.b);
	hd_buf_release(&release.b);
}

TEST_MAIN(RUN(a_missing_or_invalid_jitdump_costs_names_and_is_reported), RUN(a_damaged_jitdump_costs_no_sample),
	  RUN(a_bundle_gives_the_same_result_in_any_container))
