/* ini.c - parse hotdrift.ini, reject invalid files, and find the file in the folders in which it is searched */
#include "cli/ini.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct result {
	struct hd_ini ini;
	struct hd_log log;
	struct hd_err err;
	int rc;
};

static struct result parsed(const char *text)
{
	struct result r = { 0 };

	r.rc = hd_ini_parse(&r.ini, text, strlen(text), "hotdrift.ini", &r.log, &r.err);
	return r;
}

static void release(struct result *r)
{
	hd_ini_release(&r->ini);
	hd_log_release(&r->log);
}

static const char *value(const struct result *r, const char *target, enum hd_ini_key key)
{
	const struct hd_ini_target *t = hd_ini_find(&r->ini, target);

	return t && t->value[key] ? t->value[key] : "(none)";
}

static void refused(const char *text, const char *sentence)
{
	struct result r = parsed(text);

	EXPECT_INT(r.rc, HD_EFORMAT);
	EXPECT_STR(r.err.msg, sentence);
	EXPECT_INT(r.ini.ntargets, 0);
	release(&r);
}

TEST(targets_are_read_in_the_order_of_the_file)
{
	struct result r = parsed("# comment\n"
				 "[hotdrift]\n"
				 "results = out\n"
				 "db = postgresql://db.example/drift\n"
				 "\n"
				 "[target b]\n"
				 "build = make profile\n"
				 "run = build/b --size 3\n"
				 "[target a]\n"
				 "; another\n"
				 "run=a\n"
				 "modes = cpu, memory\n"
				 "frequency = 499\n"
				 "call_graph = dwarf,16384\n"
				 "max_size = 32768G\n"
				 "duration = 60\n"
				 "cpus = 4\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_INT(r.log.n, 0);
	EXPECT_INT(r.ini.ntargets, 2);
	EXPECT_STR(r.ini.targets[0].name, "b");
	EXPECT_STR(r.ini.targets[1].name, "a");
	EXPECT_STR(r.ini.results, "out");
	EXPECT_STR(r.ini.db, "postgresql://db.example/drift");
	EXPECT_STR(value(&r, "b", HD_INI_BUILD), "make profile");
	EXPECT_STR(value(&r, "b", HD_INI_RUN), "build/b --size 3");
	EXPECT_STR(value(&r, "b", HD_INI_EVENT), "(none)");
	EXPECT_STR(value(&r, "a", HD_INI_MODES), "cpu, memory");
	EXPECT_STR(value(&r, "a", HD_INI_CALL_GRAPH), "dwarf,16384");
	EXPECT_STR(value(&r, "a", HD_INI_MAX_SIZE), "32768G");
	EXPECT_STR(value(&r, "a", HD_INI_DURATION), "60");
	EXPECT_STR(value(&r, "a", HD_INI_CPUS), "4");
	EXPECT_INT(hd_ini_find(&r.ini, "a")->line, 9);
	EXPECT_INT(hd_ini_find(&r.ini, "a")->value_line[HD_INI_RUN], 11);
	EXPECT(!hd_ini_find(&r.ini, "c"));
	release(&r);
}

TEST(a_value_keeps_its_semicolons_hashes_equal_signs_and_length)
{
	char text[4096 + 100] = "[target a]\nbuild = cd x ; make A=1 # all\nrun = ";
	size_t n = strlen(text);
	struct result r;

	memset(text + n, 'x', 4096);
	r = parsed(text);
	EXPECT_STR(value(&r, "a", HD_INI_BUILD), "cd x ; make A=1 # all");
	EXPECT_INT(strlen(value(&r, "a", HD_INI_RUN)), 4096);
	release(&r);
}

TEST(a_line_indented_further_than_its_key_goes_on_with_the_value)
{
	struct result r = parsed("[target a]\n"
				 "  build =\n"
				 "    ./configure\n"
				 "\n"
				 "    # in between\n"
				 "    [ -f x ] && make y=1\n"
				 "  run = ./a\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_STR(value(&r, "a", HD_INI_BUILD), "./configure\n[ -f x ] && make y=1");
	EXPECT_STR(value(&r, "a", HD_INI_RUN), "./a");
	release(&r);
}

TEST(line_ends_of_other_systems_and_a_byte_order_mark_are_no_part_of_it)
{
	struct result r = parsed("\xef\xbb\xbf[target a]\r\nrun = ./a\r\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_STR(value(&r, "a", HD_INI_RUN), "./a");
	release(&r);
}

TEST(an_empty_file_has_no_targets)
{
	struct result r = parsed("");

	EXPECT_INT(r.rc, 0);
	EXPECT_INT(r.ini.ntargets, 0);
	release(&r);
}

TEST(unknown_keys_and_sections_are_warned_of_and_left_out)
{
	struct result r = parsed("[target a]\nrunn = x\n  goes on\nrun = y\n[profile b]\nrun = z\n  goes on\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_INT(r.ini.ntargets, 1);
	EXPECT_STR(value(&r, "a", HD_INI_RUN), "y");
	EXPECT(hd_log_find(&r.log, "ini.unknown-key"));
	EXPECT_STR(hd_log_find(&r.log, "ini.unknown-key")->text,
		"hotdrift.ini:2: unknown key runn in [target a] is ignored");
	EXPECT(hd_log_find(&r.log, "ini.unknown-section"));
	release(&r);
}

TEST(a_key_or_a_target_given_twice_is_refused_with_its_line)
{
	refused("[target a]\nrun = x\nrun = x\n", "hotdrift.ini:3: the key is set twice in its section");
	refused("[target a]\nrun = x\n[target b]\nrun = x\n[target a]\nbuild = x\n",
		"hotdrift.ini:5: target a is already defined at line 1");
	refused("[target a]\nrun = x\n[target a]\nbuild = x\n",
		"hotdrift.ini:3: target a is already defined at line 1");
	refused("[hotdrift]\ndb = a\ndb = b\n", "hotdrift.ini:3: the key is set twice in its section");
}

TEST(an_invalid_line_of_an_ini_file_is_rejected_with_its_number)
{
	refused("run = x\n", "hotdrift.ini:1: a key before the first section");
	refused("[target a]\nrun\n", "hotdrift.ini:2: neither a [section], a comment nor key = value");
	refused("[target a]\n= x\n", "hotdrift.ini:2: the name of the key is missing");
	refused("[target a]\nr\x1b[31m = x\n", "hotdrift.ini:2: a key is letters, digits, _ - and .");
	refused("[target a\nrun = x\n", "hotdrift.ini:1: a section ends with ]");
	refused("[target a;b]\nrun = x\n", "hotdrift.ini:1: a section is [hotdrift], [owners] or [target NAME]");
	refused("[target ../a]\nrun = x\n", "hotdrift.ini:1: the name of a target is letters, digits and . _ + -");
	refused("[target -rf]\nrun = x\n", "hotdrift.ini:1: the name of a target is letters, digits and . _ + -");
	refused("[target]\nrun = x\n", "hotdrift.ini:1: the name of a target is letters, digits and . _ + -");
	refused("[target aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\nrun = x\n",
		"hotdrift.ini:1: the name of a section is too long");
}

TEST(values_that_cannot_be_used_are_refused_with_their_line)
{
	refused("[target a]\nfrequency = 0\n",
		"hotdrift.ini:2: frequency of target a takes a number from 1 to 1000000");
	refused("[target a]\nfrequency = 99x\n",
		"hotdrift.ini:2: frequency of target a takes a number from 1 to 1000000");
	refused("[target a]\nfrequency = 4294967297\n",
		"hotdrift.ini:2: frequency of target a takes a number from 1 to 1000000");
	refused("[target a]\ncall_graph = lbr,3\n",
		"hotdrift.ini:2: call_graph of target a takes auto, fp, dwarf, dwarf,BYTES or lbr");
	refused("[target a]\nmax_size = 5T\n",
		"hotdrift.ini:2: max_size of target a takes bytes, or a number with K, M or G");
	refused("[target a]\nmax_size = 0M\n",
		"hotdrift.ini:2: max_size of target a takes bytes, or a number with K, M or G");
	refused("[target a]\nmax_size = 32769G\n",
		"hotdrift.ini:2: max_size of target a takes bytes, or a number with K, M or G");
	refused("[target a]\nmax_size = 1MM\n",
		"hotdrift.ini:2: max_size of target a takes bytes, or a number with K, M or G");
	refused("[target a]\nduration = 1m\n",
		"hotdrift.ini:2: duration of target a takes a number of seconds from 1 to 1000000");
	refused("[target a]\ncpus = 0\n", "hotdrift.ini:2: cpus of target a takes a number from 1 to 65536");
	refused("[target a]\nmodes = cpu gpus\n",
		"hotdrift.ini:2: modes of target a takes modes of 'hotdrift profile': cpu, memory, async, syscall, "
			"gpu, power, all");
	refused("[target a]\nevent = cycles\n  -o /etc/x\n", "hotdrift.ini:2: event of target a takes one line");
	refused("[target a]\nrun =\n", "hotdrift.ini:2: run of target a has no value");
}

TEST(a_file_that_is_too_big_or_no_text_is_refused)
{
	static char big[HD_INI_MAX_BYTES + 2];
	struct hd_ini ini = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err;

	memset(big, '\n', sizeof(big) - 1);
	EXPECT_INT(hd_ini_parse(&ini, big, HD_INI_MAX_BYTES + 1, "x", &log, &err), HD_EFORMAT);
	EXPECT_INT(hd_ini_parse(&ini, big, HD_INI_MAX_BYTES, "x", &log, &err), 0);
	memcpy(big, "[target a]\nrun = ", 17);
	memset(big + 17, 'x', HD_INI_MAX_LINE);
	EXPECT_INT(hd_ini_parse(&ini, big, HD_INI_MAX_BYTES, "x", &log, &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "x:2: the line is too long");
	EXPECT_INT(hd_ini_parse(&ini, "[target a]\nrun = \0x\n", 20, "x", &log, &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "x: contains a zero byte, so it is not a text file");
	hd_log_release(&log);
}

TEST(a_long_value_of_many_lines_takes_time_and_memory_in_proportion)
{
	struct hd_buf text = { 0 };
	struct hd_ini ini = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err;

	hd_buf_adds(&text, "[target a]\nrun = x\n");
	while (text.len < HD_INI_MAX_BYTES - 3)
		hd_buf_adds(&text, " y\n");
	EXPECT_INT(hd_ini_parse(&ini, text.data, text.len, "x", &log, &err), 0);
	EXPECT(strlen(ini.targets[0].value[HD_INI_RUN]) > HD_INI_MAX_BYTES / 2);
	hd_ini_release(&ini);
	hd_buf_reset(&text);
	for (int i = 0; i <= HD_INI_MAX_TARGETS; i++)
		hd_buf_addf(&text, "[target t%d]\nrun=x\n", i);
	EXPECT_INT(hd_ini_parse(&ini, text.data, text.len, "x", &log, &err), HD_EFORMAT);
	EXPECT_STR(err.msg, "x:2001: too many targets");
	hd_buf_release(&text);
	hd_log_release(&log);
}

/* A temporary folder `dir` with the folders `sub` and sub/`deep` in it; the caller removes it. */
struct place {
	char dir[64], sub[80], deep[96];
};

static struct place make_place(void)
{
	struct place p = { "/tmp/hotdrift-ini.XXXXXX", "", "" };

	EXPECT(mkdtemp(p.dir));
	snprintf(p.sub, sizeof(p.sub), "%s/sub", p.dir);
	snprintf(p.deep, sizeof(p.deep), "%s/deep", p.sub);
	EXPECT_INT(mkdir(p.sub, 0700), 0);
	EXPECT_INT(mkdir(p.deep, 0700), 0);
	return p;
}

static void put_file(const char *dir, const char *name)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	EXPECT(f);
	fclose(f);
}

static void remove_file(const char *dir, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static void remove_place(struct place *p)
{
	remove_file(p->dir, ".git");
	remove_file(p->dir, "hotdrift.ini");
	remove_file(p->sub, ".git");
	remove_file(p->sub, "hotdrift.ini");
	rmdir(p->deep);
	rmdir(p->sub);
	EXPECT_INT(rmdir(p->dir), 0);
}

TEST(the_file_is_looked_for_upwards_but_never_above_the_checkout)
{
	struct place p = make_place();
	struct hd_buf path = { 0 };
	struct hd_err err = { 0 };
	char want[128];

	put_file(p.dir, "hotdrift.ini");
	EXPECT(!hd_ini_locate(&path, p.deep, &err));		/* not in a checkout: only deep is searched */
	EXPECT(hd_ini_locate(&path, p.dir, &err));
	put_file(p.sub, ".git");
	hd_buf_reset(&path);
	EXPECT(!hd_ini_locate(&path, p.deep, &err));		/* the file is above the checkout */
	put_file(p.dir, ".git");
	remove_file(p.sub, ".git");
	EXPECT(hd_ini_locate(&path, p.deep, &err));
	snprintf(want, sizeof(want), "%s/hotdrift.ini", p.dir);
	EXPECT_STR(path.data, want);
	put_file(p.sub, "hotdrift.ini");
	hd_buf_reset(&path);
	EXPECT(hd_ini_locate(&path, p.deep, &err));		/* the nearest file wins */
	snprintf(want, sizeof(want), "%s/hotdrift.ini", p.sub);
	EXPECT_STR(path.data, want);
	hd_buf_release(&path);
	remove_place(&p);
}

TEST(owners_and_weights_are_read_in_the_order_of_the_file)
{
	struct result r = parsed("[hotdrift]\nweights = cpu=2,\n  memory=1\n"
				 "[owners]\nb = src/b/*\na = a::*,\n  a_*\n"
				 "[target t]\nrun = x\n");

	EXPECT_INT(r.rc, 0);
	EXPECT_STR(r.ini.weights, "cpu=2,\nmemory=1");
	EXPECT_INT(r.ini.weights_line, 2);
	EXPECT_INT(r.ini.nowners, 2);
	EXPECT_STR(r.ini.owners[0].name, "b");
	EXPECT_STR(r.ini.owners[0].patterns, "src/b/*");
	EXPECT_STR(r.ini.owners[1].patterns, "a::*,\na_*");
	EXPECT_INT(r.ini.owners[1].line, 6);
	EXPECT_STR(value(&r, "t", HD_INI_RUN), "x");
	release(&r);
}

TEST(hostile_owners_are_refused_with_their_line)
{
	struct result r;
	char many[32 * (HD_INI_MAX_OWNERS + 2)];
	size_t n = (size_t)snprintf(many, sizeof(many), "[owners]\n");

	refused("[owners]\na = x\na = y\n", "hotdrift.ini:3: the key is set twice in its section");
	refused("[owners]\na =\n", "hotdrift.ini:2: owner a has no value");
	refused("[owners]\na b = x\n", "hotdrift.ini:2: a key is letters, digits, _ - and .");
	refused("[hotdrift]\nweights =\n", "hotdrift.ini:2: weights of [hotdrift] has no value");
	for (int i = 0; i <= HD_INI_MAX_OWNERS; i++)
		n += (size_t)snprintf(many + n, sizeof(many) - n, "o%d = x\n", i);
	refused(many, "hotdrift.ini:1002: too many owners");
	many[n - strlen("o1000 = x\n")] = '\0';
	r = parsed(many);
	EXPECT_INT(r.ini.nowners, HD_INI_MAX_OWNERS);
	release(&r);
}

TEST_MAIN(RUN(targets_are_read_in_the_order_of_the_file),
	  RUN(a_value_keeps_its_semicolons_hashes_equal_signs_and_length),
	  RUN(a_line_indented_further_than_its_key_goes_on_with_the_value),
	  RUN(line_ends_of_other_systems_and_a_byte_order_mark_are_no_part_of_it),
	  RUN(an_empty_file_has_no_targets),
	  RUN(unknown_keys_and_sections_are_warned_of_and_left_out),
	  RUN(a_key_or_a_target_given_twice_is_refused_with_its_line),
	  RUN(an_invalid_line_of_an_ini_file_is_rejected_with_its_number),
	  RUN(values_that_cannot_be_used_are_refused_with_their_line),
	  RUN(a_file_that_is_too_big_or_no_text_is_refused),
	  RUN(a_long_value_of_many_lines_takes_time_and_memory_in_proportion),
	  RUN(the_file_is_looked_for_upwards_but_never_above_the_checkout),
	  RUN(owners_and_weights_are_read_in_the_order_of_the_file),
	  RUN(hostile_owners_are_refused_with_their_line),
)
