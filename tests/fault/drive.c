/*
 * drive.c - make one command fail at every call that can fail, and check its behaviour each time
 *
 *     drive [OPTION...] -- PROGRAM ARGUMENT...
 *         -n NAME       name of the command in reports
 *         -s SHIM       path of shim.so
 *         -w FOLDER     working folder of the command; its contents are restored before each run
 *         -k KINDS      kinds of calls that fail, as shim.c names them, separated by blanks (default: all)
 *         -m MOST       test at most MOST calling places of each kind, chosen evenly (default 0: all places);
 *                       with -K, at most MOST calls of each kind
 *         -i FILE       standard input of the command
 *         -t            run without O_TMPFILE
 *         -j CPUS       number of processors to run on (default 1, so that each run makes the same calls)
 *         -b DATABASE   a database in FOLDER: after each run it must be valid, with as many runs as before or one more
 *         -K            kill the command at each call instead: each file must then have its old or its new content,
 *                       and a complete temporary file may be left over
 *         -e KIND       expect that the command makes no call of this kind
 *         -y            output files contain times, so only their first and last bytes are compared
 *         -x            standard output contains a new name each time, so only its length is compared
 *         -g            each line of standard output ends with a number of samples: their sum must not change, unless
 *                       the command fails
 *         -v            print each run
 *
 * Without -K, this is checked after each run:
 *   - The command exited by itself, with status 0 or 6.
 *   - Status 0: there is no error line.  The output is that of the undisturbed run, unless there is a new warning.
 *   - Status 6: there is one error line with a reason.
 *   - No output file is incomplete, and no other file is left over.
 * EINTR and short counts must not change anything.  If the fault is a file that ends too early (`gone` in shim.c),
 * status 5 is valid, too, and neither the reason nor the sum of -g is checked.
 *
 * The last line is `passed P failed F`.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 64, SITES = 1 << 16, SECONDS = 20 };

struct bytes {
	char *p;
	size_t n;
};

struct kept {			/* The state of a file of the folder, before or after a run. */
	char name[256];
	struct bytes data;
};

struct folder {
	struct kept file[FILES];
	size_t n;
};

struct result {
	int status;		/* exit status, or 1000 + the signal */
	struct bytes out, err;
	struct folder folder;
};

struct site {
	char kind[16];
	unsigned long n, times;
};

static const char *name = "?", *shim, *input, *database, *kinds;
static bool no_tmpfile, counted, loose, timed, killed, verbose;
static const char *excluded;
static unsigned cpus = 1;
static unsigned long most, passed, failed;
static char **command;
static struct folder before, after;
static struct result calm;
static int64_t runs_before;

static _Noreturn void die(const char *text)
{
	fprintf(stderr, "drive: error: %s: %s: %s\n", name, text, strerror(errno));
	exit(2);
}

static struct bytes slurp(int fd)
{
	struct bytes b = { calloc(1, 1), 0 };
	char chunk[65536];
	ssize_t got;

	lseek(fd, 0, SEEK_SET);
	while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
		b.p = realloc(b.p, b.n + (size_t)got + 1);
		memcpy(b.p + b.n, chunk, (size_t)got);
		b.n += (size_t)got;
		b.p[b.n] = '\0';
	}
	return b;
}

static bool same(const struct bytes *a, const struct bytes *b)
{
	return a->n == b->n && !memcmp(a->p, b->p, a->n);
}

/* ---- the folder ---- */

static void scan_into(struct folder *f, const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[512];
		struct kept *k = &f->file[f->n];
		struct stat st;
		int fd;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (!lstat(path, &st) && S_ISDIR(st.st_mode)) {
			char inner[256];

			snprintf(inner, sizeof(inner), "%.200s%.50s/", prefix, e->d_name);
			scan_into(f, path, inner);
			continue;
		}
		if (f->n == FILES)
			die("too many files");
		snprintf(k->name, sizeof(k->name), "%.120s%.120s", prefix, e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			die(path);
		k->data = slurp(fd);
		close(fd);
		f->n++;
	}
	if (d)
		closedir(d);
}

static void scan(struct folder *f)
{
	f->n = 0;
	scan_into(f, ".", "");
}

static const struct kept *find(const struct folder *f, const char *file)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->file[i].name, file))
			return &f->file[i];
	return NULL;
}

static void forget(struct folder *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->file[i].data.p);
	f->n = 0;
}

/* Restore the folder as it was before the first run. */
static void put_back(void)
{
	struct folder now;

	scan(&now);
	for (size_t i = 0; i < now.n; i++) {
		const struct kept *was = find(&before, now.file[i].name);

		if (!was || !same(&was->data, &now.file[i].data))
			unlink(now.file[i].name);
	}
	for (size_t i = 0; i < before.n; i++) {
		const struct kept *was = &before.file[i];
		int fd;

		if (!access(was->name, F_OK))
			continue;
		fd = open(was->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0 || write(fd, was->data.p, was->data.n) != (ssize_t)was->data.n)
			die(was->name);
		close(fd);
	}
	forget(&now);
}

/* ---- one run ---- */

static _Noreturn void become(int socket)
{
	struct rlimit core = { 0, 0 };
	char number[16];
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0, n = 0; n < cpus && i < CPU_SETSIZE; i++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(i, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0) {
			CPU_SET(i, &set);
			n++;
		}
		if (i > 255)
			break;
	}
	sched_setaffinity(0, sizeof(set), &set);
	setrlimit(RLIMIT_CORE, &core);
	snprintf(number, sizeof(number), "%d", socket);
	setenv("HD_FAULT_SERVER", number, 1);
	setenv("LD_PRELOAD", shim, 1);
	if (no_tmpfile)
		setenv("HD_FAULT_NO_TMPFILE", "1", 1);
	execvp(command[0], command);
	_exit(99);
}

static pid_t server_pid;
static int server = -1;			/* the socket on which the server takes requests; -1: not started */

/* Start the command; shim.c stops it before main(). */
static void start_server(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
		die("socketpair");
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	server_pid = fork();
	if (server_pid == 0)
		become(ends[1]);
	if (server_pid < 0)
		die("fork");
	close(ends[1]);
	server = ends[0];
}

/*
 * Let the server of shim.c (serve()) run the command once.  fault: the value of HD_FAULT; fd: standard input, output,
 * errors, and HD_FAULT_OUT.  Returns the wait status of the command.
 */
static int serve(const char *fault, const int fd[4])
{
	char text[128], control[CMSG_SPACE(4 * sizeof(int))] = "";
	struct iovec v = { text, (size_t)snprintf(text, sizeof(text), "%d %s", SECONDS, fault) };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int status;

	if (server < 0)
		start_server();
	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(4 * sizeof(int)), .cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(c), fd, 4 * sizeof(int));
	if (sendmsg(server, &m, MSG_NOSIGNAL) < 0 || recv(server, &status, sizeof(status), 0) != sizeof(status))
		die("the command does not start");
	return status;
}

static int temporary(void)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0) {
		char path[] = "/tmp/hd-drive.XXXXXX";

		fd = mkostemp(path, O_CLOEXEC);
		unlink(path);
	}
	return fd;
}

static void run(const char *fault, struct result *r, struct bytes *log)
{
	int fd[4] = { open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC), temporary(), temporary(), temporary() };
	int status;

	if (fd[0] < 0 || fd[1] < 0 || fd[2] < 0 || fd[3] < 0)
		die("temporary file");
	put_back();
	status = serve(fault, fd);
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
	r->out = slurp(fd[1]);
	r->err = slurp(fd[2]);
	*log = slurp(fd[3]);
	scan(&r->folder);
	for (int i = 0; i < 4; i++)
		close(fd[i]);
}

static void release(struct result *r)
{
	free(r->out.p);
	free(r->err.p);
	forget(&r->folder);
}

/* ---- checks ---- */

static unsigned count_lines(const struct bytes *b, const char *start)
{
	unsigned n = 0;

	for (const char *c = b->p; c && *c; c = strchr(c, '\n') ? strchr(c, '\n') + 1 : NULL)
		n += !strncmp(c, start, strlen(start));
	return n;
}

static unsigned long long sum_of(const struct bytes *b)
{
	unsigned long long sum = 0;

	for (const char *c = b->p; (c = strchr(c, '\n')); c++) {
		const char *at = c;

		while (at > b->p && at[-1] >= '0' && at[-1] <= '9')
			at--;
		sum += strtoull(at, NULL, 10);
	}
	return sum;
}

static int64_t ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

/* Return the number of runs in the database; -1 if it is damaged.  An empty new file is an empty database. */
static int64_t runs_of(void)
{
	sqlite3 *db = NULL;
	int64_t n;

	if (access(database, F_OK))
		return 0;
	if (sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	    ask(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") != 1 ||
	    ask(db, "SELECT count(*) FROM pragma_foreign_key_check") != 0)
		n = -1;
	else if (ask(db, "SELECT count(*) FROM sqlite_master WHERE name = 'run'") == 1)
		n = ask(db, "SELECT count(*) FROM run");
	else
		n = ask(db, "SELECT count(*) FROM sqlite_master") ? -1 : 0;
	sqlite3_close(db);
	return n;
}

static bool is_databases(const char *file)
{
	return database && !strncmp(file, database, strlen(database));
}

static bool warned(const struct result *r)
{
	return count_lines(&r->err, "hotdrift: warning: ") && !same(&r->err, &calm.err);
}

/* Return true for a complete output file that was not renamed from its temporary name yet. */
static bool is_whole_tmp(const struct kept *k)
{
	size_t n = strlen(k->name);
	bool whole = false;

	for (size_t i = 0; i < after.n; i++)
		whole |= same(&after.file[i].data, &k->data);
	return whole && n > 4 && !strcmp(k->name + n - 4, ".tmp");
}

/* Return true if both begin with the same eight bytes and end with the same byte. */
static bool is_like(const struct bytes *a, const struct bytes *b)
{
	return a->n > 8 && b->n > 8 && !memcmp(a->p, b->p, 8) && a->p[a->n - 1] == b->p[b->n - 1];
}

static const char *judge_folder(const struct result *r)
{
	for (size_t i = 0; i < r->folder.n; i++) {
		const struct kept *k = &r->folder.file[i], *old = find(&before, k->name), *new = find(&after, k->name);

		if (is_databases(k->name) || (old && same(&old->data, &k->data)))
			continue;
		if (killed && is_whole_tmp(k))
			continue;
		if (!old && !new)
			return "a file is left over";
		/* After a warning, names in the file may differ, but the file must be written to its end. */
		if (new && !r->status && warned(r) && k->data.n > 8 &&
			k->data.p[k->data.n - 1] == new->data.p[new->data.n - 1])
			continue;
		if (timed && new && is_like(&new->data, &k->data))
			continue;
		if (!new || !same(&new->data, &k->data))
			return "an output is neither the old nor the new one";
		if (r->status && r->status < 1000 && new && !strchr(k->name, '/'))
			return "the output was put in place, and still it failed";
	}
	for (size_t i = 0; i < before.n; i++)
		if (!find(&r->folder, before.file[i].name))
			return "a file is gone";
	return NULL;
}

static const char *judge_database(void)
{
	int64_t runs = runs_of();

	if (runs < 0)
		return "the database is damaged";
	if (runs != runs_before && runs != runs_before + 1)
		return "the database has lost or doubled a run";
	return NULL;
}

static const char *judge(const struct result *r, bool harmless, int errnum)
{
	const char *bad = judge_folder(r);
	unsigned errors = count_lines(&r->err, "hotdrift: error: "),
		 warnings = count_lines(&r->err, "hotdrift: warning: ");
	bool equal = same(&r->out, &calm.out) || (loose && r->out.n == calm.out.n);

	if (r->status >= 1000)
		return "killed by a signal";
	if (strstr(r->err.p, "Sanitizer") || strstr(r->err.p, "runtime error"))
		return "a sanitizer's report";
	if (errors + warnings + count_lines(&r->err, "hotdrift: note: ") != count_lines(&r->err, ""))
		return "lines on stderr that are no messages";
	if (!bad && database)
		bad = judge_database();
	if (bad)
		return bad;
	if (harmless && (r->status != calm.status || !equal))
		return "an interrupted or short call changed the answer";
	if (r->status == calm.status && equal && !errors)
		return r->status == 0 && judge_folder(&calm) == NULL && r->folder.n < after.n && !database
			? "no output, and no error"
			: NULL;
	if (r->status == 0 && errors)
		return "an error, and still status 0";
	if (r->status == 0 && !warned(r))
		return "another answer, and no word about it";
	if (r->status == 0 && counted && sum_of(&r->out) != sum_of(&calm.out))
		return "samples are lost";
	if (r->status == 0)
		return NULL;
	if (r->status != 6)
		return "the status is neither 0 nor 6";
	if (errors != 1)
		return "not exactly one error line";
	if (!strstr(r->err.p, strerror(errnum)) && !strstr(r->err.p, "memory") && !strstr(r->err.p, "no space left") &&
	    !strstr(r->err.p, "disk I/O error") && !strstr(r->err.p, "too many open files?") &&
	    !strstr(r->err.p, "damaged or cannot be read"))
		return "the reason is not told";
	return NULL;
}

/*
 * Check a run in which an input file ended too early, as if another process had truncated it.  Returns what is wrong,
 * or NULL.
 */
static const char *judge_gone(const struct result *r)
{
	const char *bad = judge_folder(r);
	unsigned errors = count_lines(&r->err, "hotdrift: error: ");

	if (!bad && database)
		bad = judge_database();
	if (bad)
		return bad;
	if (r->status == 0 && !errors)
		return same(&r->out, &calm.out) || loose || warned(r) ? NULL : "another answer, and no word about it";
	if (r->status != 5 && r->status != 6)
		return "the status is neither 0 nor 5 nor 6";
	return errors == 1 ? NULL : "not exactly one error line";
}

static const char *judge_killed(const struct result *r)
{
	const char *bad = judge_folder(r);

	if (!bad && database)
		bad = judge_database();
	return bad || r->status == 1000 + SIGKILL || r->status == 0 ? bad : "it was not killed";
}

static void test(const struct site *s, const char *how, int errnum, const char *part)
{
	char fault[96], text[16];
	struct result r;
	struct bytes log;
	const char *bad;

	snprintf(text, sizeof(text), "%d", errnum);
	snprintf(fault, sizeof(fault), "%s:%lu:%s:%s", s->kind, s->n, how, part ? part : text);
	run(fault, &r, &log);
	if (killed)
		bad = judge_killed(&r);
	else if (part && !strcmp(part, "gone"))
		bad = judge_gone(&r);
	else
		bad = judge(&r, part || errnum == EINTR, errnum);
	if (bad) {
		failed++;
		printf("FAILED: %s: HD_FAULT=%s (%s): %s; status %d\n", name, fault, part ? part : strerror(errnum),
			bad, r.status);
		printf("    stderr: %.300s\n", r.err.n ? r.err.p : "-\n");
		for (size_t i = 0; i < r.folder.n; i++)
			if (!find(&before, r.folder.file[i].name) && !find(&after, r.folder.file[i].name))
				printf("    left: %s\n", r.folder.file[i].name);
		printf("%s", log.p);
	} else {
		passed++;
	}
	if (verbose)
		printf("%s %d %.100s\n", fault, r.status, r.err.p);
	release(&r);
	free(log.p);
}

static bool wanted(const char *kind)
{
	size_t n = strlen(kind);

	for (const char *c = kinds; (c = strstr(c, kind)); c += n)
		if ((c == kinds || c[-1] == ' ') && (!c[n] || c[n] == ' '))
			return true;
	return false;
}

static bool is_for_us(const struct site *s)
{
	if (excluded && !strcmp(excluded, s->kind)) {
		failed++;
		printf("FAILED: %s: it makes a call of %s, the %lu-th\n", name, s->kind, s->n);
	}
	return wanted(s->kind);
}

/* Kill the program at each call of each kind.  After each kill, the files must have their old or their new content. */
static void test_killed(const struct site *sites, size_t n)
{
	unsigned long calls = 0;

	for (size_t i = 0; i < n; i++) {
		bool first = true;

		calls = 0;
		for (size_t k = 0; k < n; k++) {
			if (strcmp(sites[k].kind, sites[i].kind))
				continue;
			first &= k >= i;
			calls += sites[k].times;
		}
		for (unsigned long c = 1; first && c <= calls;
			c += most && calls > most ? (calls + most - 1) / most : 1) {
			struct site at = { .n = c };

			memcpy(at.kind, sites[i].kind, sizeof(at.kind));
			test(&at, "once", 0, "kill");
		}
	}
}

static void test_site(const struct site *s)
{
	static const struct { const char *kind; int errnum[3]; bool part; } ways[] = {
		{ "alloc", { ENOMEM }, false }, { "mmap", { ENOMEM }, false }, { "filemap", { ENOMEM }, false },
		{ "open", { EMFILE, EACCES, EIO }, false },
		{ "read", { EIO, EINTR }, true }, { "write", { ENOSPC, EIO, EINTR }, true }, { "sync", { EIO }, false },
		{ "rename", { EIO }, false }, { "close", { EIO }, false }, { "trunc", { EIO }, false },
		{ "stat", { EIO }, false },
		{ "thread", { EAGAIN }, false }, { "memfd", { EMFILE }, false }, { "process", { EAGAIN }, false },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].kind, s->kind))
			continue;
		for (int k = 0; k < 3 && ways[i].errnum[k]; k++) {
			test(s, "once", ways[i].errnum[k], NULL);
			if (ways[i].errnum[k] != EINTR)
				test(s, "on", ways[i].errnum[k], NULL);
		}
		if (ways[i].part) {
			test(s, "once", 0, "half");
			test(s, "once", 0, "byte");
			test(s, "on", 0, "byte");
			if (!strcmp(s->kind, "read"))
				test(s, "on", 0, "gone");
		}
	}
}

int main(int argc, char **argv)
{
	static struct site sites[SITES];
	const char *folder = NULL;
	size_t n = 0, every;
	struct bytes log;
	int c;

	kinds = "alloc mmap filemap open read write sync rename close trunc stat thread memfd process";
	while ((c = getopt(argc, argv, "+n:s:w:k:m:i:tj:b:gvxyKe:")) != -1) {
		switch (c) {
		case 'n': name = optarg; break;
		case 's': shim = optarg; break;
		case 'w': folder = optarg; break;
		case 'k': kinds = optarg; break;
		case 'm': most = strtoul(optarg, NULL, 10); break;
		case 'i': input = optarg; break;
		case 't': no_tmpfile = true; break;
		case 'j': cpus = (unsigned)atoi(optarg); break;
		case 'b': database = optarg; break;
		case 'g': counted = true; break;
		case 'K': killed = true; break;
		case 'e': excluded = optarg; break;
		case 'x': loose = true; break;
		case 'y': timed = true; break;
		case 'v': verbose = true; break;
		default: return 2;
		}
	}
	command = argv + optind;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!folder || !shim || !*command || chdir(folder) < 0)
		die("usage");
	scan(&before);
	if (database)
		runs_before = runs_of();
	run("count", &calm, &log);
	scan(&after);
	if (calm.status || !log.n) {
		fprintf(stderr, "%s", calm.err.p);
		die("the undisturbed run");
	}
	for (char *line = log.p; line && *line && n < SITES; line = strchr(line, '\n') + 1)
		if (sscanf(line, "%15s %lu %lu", sites[n].kind, &sites[n].n, &sites[n].times) == 3 &&
			is_for_us(&sites[n]))
			n++;
	if (killed)
		test_killed(sites, n);
	for (size_t i = 0, turn = 0; !killed && i < n; i++) {
		size_t same_kind = 0;

		for (size_t k = 0; k < n; k++)
			same_kind += !strcmp(sites[k].kind, sites[i].kind);
		every = most && same_kind > most ? (same_kind + most - 1) / most : 1;
		if (turn++ % every == 0)
			test_site(&sites[i]);
	}
	close(server);
	waitpid(server_pid, NULL, 0);
	printf("%s: %zu places, passed %lu failed %lu\n", name, n, passed, failed);
	return failed ? 1 : 0;
}
