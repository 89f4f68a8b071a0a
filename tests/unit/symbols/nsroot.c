/* nsroot.c - read files that are visible only in another mount namespace */
#include "workshop.h"

#include "symbols/nsroot.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * A container: a pid namespace and a mount namespace with its own /tmp, which contains this program and its perf map.
 */
struct container {
	pid_t outer, pid;		/* pids in our namespace: parent of the container, its process 1 */
	uint64_t mnt_ns;
	int stay;			/* a descriptor; when it is closed, the container ends */
	char path[64];			/* path of the program inside the container */
};

static bool copy_self(const char *to)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	char block[65536];
	ssize_t n;

	while ((n = read(in, block, sizeof(block))) > 0)
		if (write(out, block, (size_t)n) != n)
			return false;
	close(in);
	close(out);
	return n == 0;
}

static bool move_in(const char *program)
{
	static const char map[] = "1000 100 jitted\n";
	int fd;

	if (mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/tmp", "tmpfs", 0, NULL) ||
		!copy_self(program))
		return false;
	fd = open("/tmp/perf-1.map", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return fd >= 0 && write(fd, map, sizeof(map) - 1) == (ssize_t)sizeof(map) - 1 && close(fd) == 0;
}

/* Start the container.  Returns false if this is not permitted here. */
static bool begin(struct container *c)
{
	int ready[2], who[2], down[2];
	char said = 0, path[64];
	struct stat st;

	snprintf(c->path, sizeof(c->path), "/tmp/hotdrift-inside-%d", (int)getpid());
	EXPECT(pipe2(ready, O_CLOEXEC) == 0 && pipe2(who, O_CLOEXEC) == 0 && pipe2(down, O_CLOEXEC) == 0);
	c->outer = fork();
	if (!c->outer) {
		pid_t inner;

		close(down[1]);
		if (unshare(CLONE_NEWNS | CLONE_NEWPID) || (inner = fork()) < 0)
			_exit(1);
		if (!inner) {
			if (!move_in(c->path) || write(ready[1], "y", 1) != 1)
				_exit(1);
			_exit(read(down[0], &said, 1) != 0);
		}
		if (write(who[1], &inner, sizeof(inner)) != sizeof(inner))
			_exit(1);
		waitpid(inner, NULL, 0);
		_exit(0);
	}
	close(ready[1]);
	close(who[1]);
	close(down[0]);
	c->stay = down[1];
	if (read(who[0], &c->pid, sizeof(c->pid)) != sizeof(c->pid) || read(ready[0], &said, 1) != 1)
		c->pid = 0;
	close(ready[0]);
	close(who[0]);
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)c->pid);
	if (said != 'y' || stat(path, &st))
		return false;
	c->mnt_ns = st.st_ino;
	return true;
}

static void stop(struct container *c)
{
	close(c->stay);
	waitpid(c->outer, NULL, 0);
}

#define NEEDS(c)	do { \
	if (!begin(c)) { stop(c); SKIP("other mount and pid namespaces are not permitted here"); } \
	} while (0)

static struct hd_symbols_opts here(void)
{
	return (struct hd_symbols_opts){ .same_machine = true, .written_s = time(NULL) };
}

static enum hd_symbols_quality quality_of(struct hd_symbols_opts opts, struct hd_symbols_key key)
{
	enum hd_symbols_quality q;
	struct hd_bench b;

	bench_open(&b, &opts, &key);
	q = hd_object_quality(b.o);
	bench_close(&b);
	return q;
}

TEST(a_path_of_a_container_is_found_beneath_the_root_of_its_process)
{
	struct hd_symbols_opts opts = here();
	struct container c;
	struct hd_bench b;
	char want[128];

	NEEDS(&c);
	EXPECT(access(c.path, F_OK) != 0);
	bench_open(&b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = c.path, .mnt_ns = c.mnt_ns, .ns_pid = c.pid });
	snprintf(want, sizeof(want), "/proc/%d/root%s", (int)c.pid, c.path);
	EXPECT_STR(hd_object_source(b.o), want);
	EXPECT(hd_object_quality(b.o) >= HD_SYMQ_SYMTAB);
	bench_close(&b);
	stop(&c);
}

TEST(any_process_of_the_namespace_will_do)
{
	struct container c;

	NEEDS(&c);
	EXPECT(quality_of(here(),
		       (struct hd_symbols_key){ .kind = HD_OBJ_FILE,
			       .path = c.path,
			       .mnt_ns = c.mnt_ns,
			       .ns_pid = 0x7fffffff }) != HD_SYMQ_NONE);
	stop(&c);
}

TEST(it_is_not_looked_for_on_the_recordings_word_alone)
{
	struct hd_symbols_opts opts = here();
	struct hd_symbols_key key = { .kind = HD_OBJ_FILE };
	struct container c;

	NEEDS(&c);
	key.path = c.path;
	key.ns_pid = c.pid;
	key.mnt_ns = c.mnt_ns + 1;			/* another namespace has a process with this number */
	EXPECT(quality_of(opts, key) == HD_SYMQ_NONE);
	key.mnt_ns = c.mnt_ns;
	opts.written_s -= 1000;				/* the process is younger than the recording */
	EXPECT(quality_of(opts, key) == HD_SYMQ_NONE);
	opts.written_s += 1000;
	opts.same_machine = false;
	EXPECT(quality_of(opts, key) == HD_SYMQ_NONE);
	opts.same_machine = true;
	key.path = "/proc/self/exe";
	EXPECT(quality_of(opts, key) == HD_SYMQ_NONE);
	key.path = "/tmp/../proc/self/exe";
	EXPECT(quality_of(opts, key) == HD_SYMQ_NONE);
	stop(&c);
	key.path = c.path;				/* the container has ended */
	EXPECT(quality_of(opts, key) == HD_SYMQ_NONE);
}

TEST(a_perf_map_of_a_container_is_called_by_the_number_that_its_process_has_in_there)
{
	struct container c;
	struct hd_symbols_opts opts = here();
	struct hd_symbols_key key = { .kind = HD_OBJ_PERFMAP, .foreign_pid = true };
	struct hd_symbol_hit hit;
	char outside[32], want[64];
	struct hd_bench b;

	NEEDS(&c);
	snprintf(outside, sizeof(outside), "/tmp/perf-%d.map", (int)c.pid);
	snprintf(want, sizeof(want), "/proc/%d/root/tmp/perf-1.map", (int)c.pid);
	key.path = outside;
	key.pid = c.pid;
	key.mnt_ns = c.mnt_ns;
	bench_open(&b, &opts, &key);
	hd_object_lookup(b.o, 0x1010, &hit);
	EXPECT_STR(hit.linkage ? hit.linkage : "-", "jitted");
	EXPECT_STR(hd_object_source(b.o), want);
	bench_close(&b);
	key.mnt_ns = c.mnt_ns + 1;
	EXPECT(quality_of(opts, key) == HD_SYMQ_NONE);
	stop(&c);
}

TEST(a_process_knows_itself_by_its_innermost_number_and_our_namespaces_are_ours)
{
	struct hd_nsroot r;
	uint64_t mnt, pid;

	hd_nsroot_ours(&mnt, &pid);
	EXPECT(mnt && pid);
	EXPECT(hd_nsroot_find(&r, mnt, (int32_t)getpid(), time(NULL)));
	EXPECT_INT(r.pid, getpid());
	EXPECT(hd_nsroot_own_pid(&r) > 0);
	EXPECT(!hd_nsroot_find(&r, 0, 0, time(NULL)));
	EXPECT(!hd_nsroot_find(&r, 1, -1, time(NULL)));
}

TEST_MAIN(RUN(a_path_of_a_container_is_found_beneath_the_root_of_its_process),
	  RUN(any_process_of_the_namespace_will_do),
	  RUN(it_is_not_looked_for_on_the_recordings_word_alone),
	  RUN(a_perf_map_of_a_container_is_called_by_the_number_that_its_process_has_in_there),
	  RUN(a_process_knows_itself_by_its_innermost_number_and_our_namespaces_are_ours))
