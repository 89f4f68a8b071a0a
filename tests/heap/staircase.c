/*
 * staircase.c - change the resident memory in known steps
 *
 * Memory grows by touching pages, and shrinks by free, munmap and MADV_DONTNEED.  Some memory is mapped and never
 * touched.  A thread touches memory that its process mapped.  A forked child has memory of its own, and memory that it
 * shares with its parent.
 *
 *     TRUTH at T_US rss_bytes=BYTES own_bytes=BYTES
 *
 * T_US is a time of CLOCK_REALTIME in us.  Nothing changes in the 80 ms (or the argument, in ms) after it.  rss_bytes
 * is the value in smaps_rollup of this process, own_bytes the memory that only the child has.  Their sum is the memory
 * that hotdrift must report.
 */
#include "site.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define MIB (1024ul * 1024)

static long pause_ms = 80;

static long resident(void)
{
	char text[4096], *at;
	int fd = open("/proc/self/smaps_rollup", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = 0;
	at = strstr(text, "Rss:");
	return at ? atol(at + 4) * 1024 : 0;
}

/*
 * Print a line with the resident memory, and sleep.  rss: 0 to measure it.  Call this once before measuring, because
 * the first call adds pages of the C library to the resident memory.
 */
static long pause_here(long rss, long own, const char *what)
{
	struct timespec t, pause = { pause_ms / 1000, pause_ms % 1000 * 1000000 };
	char line[200];
	int n;

	if (!rss)
		rss = resident();
	clock_gettime(CLOCK_REALTIME, &t);
	n = snprintf(line, sizeof(line), "%s at %ld rss_bytes=%ld own_bytes=%ld\n", what,
		t.tv_sec * 1000000 + t.tv_nsec / 1000, rss, own);
	if (write(9, line, (size_t)n) != n)
		_exit(3);
	nanosleep(&pause, NULL);
	return rss;
}

static NI void touch(char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		((volatile char *)p)[i] = 1;
}

static char *map(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static void *touch_more(void *p)
{
	touch(p, 12 * MIB);
	return NULL;
}

int main(int argc, char **argv)
{
	char *a, *b, *c;
	pthread_t thread;
	long rss;
	pid_t child;
	int status;

	if (argc > 1)
		pause_ms = atol(argv[1]);
	free(malloc(10));
	/* Touch the 4 KiB pages of all steps at once. */
	touch(map(4 * MIB), 4 * MIB);
	pause_here(0, 0, "REHEARSAL");
	pause_here(0, 0, "TRUTH");
	a = map(96 * MIB);
	pause_here(0, 0, "TRUTH");
	touch(a, 48 * MIB);
	pause_here(0, 0, "TRUTH");
	b = malloc(40 * MIB);
	madvise((char *)(((size_t)b + 4095) & ~4095ul), 40 * MIB - 8192, MADV_NOHUGEPAGE);
	touch(b, 40 * MIB);
	pause_here(0, 0, "TRUTH");
	madvise(a, 20 * MIB, MADV_DONTNEED);
	pause_here(0, 0, "TRUTH");
	free(b);
	pause_here(0, 0, "TRUTH");
	pthread_create(&thread, NULL, touch_more, a + 60 * MIB);
	pthread_join(thread, NULL);
	rss = pause_here(0, 0, "TRUTH");
	child = fork();
	if (!child) {
		c = map(32 * MIB);
		touch(c, 32 * MIB);
		pause_here(rss, 32 * MIB, "TRUTH");
		_exit(0);
	}
	waitpid(child, &status, 0);
	pause_here(0, 0, "TRUTH");
	munmap(a, 96 * MIB);
	pause_here(0, 0, "TRUTH");
	return status;
}
