/*
 * mapped_file.c - see mapped_file.h
 *
 * A signal handler knows only the faulting address, so the mapped ranges of all threads are in one global table.
 */
#include "base/mapped_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

struct hd_mapped_file {
	atomic_bool taken;
	/* address range of the reserved pages, mapped or not; from == 0: no pages are reserved */
	_Atomic uintptr_t from, to;
	atomic_bool torn;
};

static struct hd_mapped_file table[HD_MAPPED_FILES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* number of entries that are in use, protected by `lock`; while it is not 0, our handler of SIGBUS is installed */
static size_t mapped;
static struct sigaction before;		/* the previous action for SIGBUS */
static uintptr_t page;

/*
 * Map a page of zeros at the address `at`, where an access failed; the CPU then executes the faulting instruction
 * again.  Returns false if the address is not in a reserved range, or if mmap() fails.
 */
static bool mend(uintptr_t at)
{
	for (size_t i = 0; i < HD_MAPPED_FILES_MAX; i++) {
		struct hd_mapped_file *m = &table[i];
		uintptr_t from = atomic_load(&m->from);

		if (!from || at < from || at >= atomic_load(&m->to))
			continue;
		atomic_store(&m->torn, true);
		return mmap((void *)(at & ~(page - 1)), page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			       0) != MAP_FAILED;
	}
	return false;
}

static void on_bus(int sig, siginfo_t *info, void *context)
{
	int had = errno;

	(void)context;
	/*
	 * The fault is not in one of our pages.  Restore the previous signal action: the faulting instruction is
	 * executed again and then triggers that action.
	 */
	if (!mend((uintptr_t)info->si_addr))
		sigaction(sig, &before, NULL);
	errno = had;
}

static bool watch(void)
{
	struct sigaction act = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_RESTART };
	bool on = true;

	sigemptyset(&act.sa_mask);
	pthread_mutex_lock(&lock);
	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	if (!mapped)
		on = !sigaction(SIGBUS, &act, &before);
	mapped += on;
	pthread_mutex_unlock(&lock);
	return on;
}

static void unwatch(void)
{
	pthread_mutex_lock(&lock);
	if (!--mapped)
		sigaction(SIGBUS, &before, NULL);
	pthread_mutex_unlock(&lock);
}

static struct hd_mapped_file *take(void)
{
	for (size_t i = 0; i < HD_MAPPED_FILES_MAX; i++)
		if (!atomic_exchange(&table[i].taken, true))
			return &table[i];
	return NULL;
}

struct hd_mapped_file *hd_mapped_file_new(size_t most)
{
	struct hd_mapped_file *m;
	size_t room;
	void *p;

	if (!most || most > SIZE_MAX / 2 || !(m = take()))
		return NULL;
	if (!watch()) {
		atomic_store(&m->taken, false);
		return NULL;
	}
	/* The mapped part may start anywhere in a page. */
	room = ((most + page - 1) & ~(page - 1)) + page;
	p = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		unwatch();
		atomic_store(&m->taken, false);
		return NULL;
	}
	atomic_store(&m->torn, false);
	atomic_store(&m->to, (uintptr_t)p + room);
	atomic_store(&m->from, (uintptr_t)p);
	return m;
}

void hd_mapped_file_free(struct hd_mapped_file *m)
{
	uintptr_t from;

	if (!m)
		return;
	from = atomic_exchange(&m->from, 0);
	munmap((void *)from, atomic_load(&m->to) - from);
	unwatch();
	atomic_store(&m->taken, false);
}

const uint8_t *hd_mapped_file_view(struct hd_mapped_file *m, int fd, uint64_t off, size_t n)
{
	uintptr_t at = atomic_load(&m->from);
	size_t before_it = (size_t)(off & (page - 1));

	if (!n || n > atomic_load(&m->to) - at - before_it || off > INT64_MAX - n)
		return NULL;
	if (mmap((void *)at, before_it + n, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, (off_t)(off - before_it)) ==
		MAP_FAILED)
		return NULL;
	return (const uint8_t *)at + before_it;
}

bool hd_mapped_file_torn(const struct hd_mapped_file *m)
{
	return atomic_load(&m->torn);
}
