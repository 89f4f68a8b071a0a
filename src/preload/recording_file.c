/*
 * recording_file.c - the recording: private memory, whose changed pages are written to a file
 *
 *     piece   256 KiB   256 KiB   512 KiB ...     private memory in which the recorder counts
 *     file    ...........................         written by pwrite(), page by page
 *
 * No file is mapped, so neither a truncated file nor a file size limit raises a signal in the program.
 *
 * The file is written before the process executes another program, calls _exit or ends.  In between, each thread tests
 * after at most 128 allocations and frees, or after 128 KiB, whether a write is due.  A write is due if an eighth of
 * everything was counted since the last write, or if 50 times the duration of the last write has passed since then.  A
 * process that is killed loses what was counted since the last write.
 *
 * The descriptor is open only during a write, so that a program that closes or counts all descriptors does not find
 * ours.  Disk space is reserved when a piece is added.  If there is none, the recording does not grow, and the program
 * goes on.
 */
#include "guest/write_signals.h"
#include "preload/recorder.h"
#include "preload/recorder_memory.h"
#include "preload/recording.h"
#include "preload/syscalls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	FIRST = 256 * 1024,
	/* maximum size of a piece (a range of the recording); a new piece is as large as all pieces before it */
	LARGEST = 4 * 1024 * 1024,
	/* smallest size of a piece (a range of the recording), used if the disk or a limit has no room for more */
	LEAST = 32 * 1024,
	/* when the process ends, the file is cut to its used part and this room for threads that still run */
	SLACK = 64 * 1024,
	PATH_ROOM = 4096,
	LINE = 64,
	PAGE_BITS = 12,
	PAGE = 1 << PAGE_BITS,
	PIECES = 4096,
	/* least number of clock readings between two writes */
	LOOKS = 8,
	SHARE = 8, /* a write is due if 1 / SHARE of all clock readings came after the last write */
	REST = 50, /* a write is also due if REST times the duration of the last write has passed since then */
};

struct piece {
	char *p;
	uint64_t off;			/* offset in the file */
	size_t bytes;
	uint8_t *dirty;			/* indexed by page; 1: the page may differ from the file */
};

static char path[PATH_ROOM];
static dev_t dev;
static ino_t ino;
static struct piece pieces[PIECES];
static _Atomic uint32_t npieces;
static char *at;		/* start of the unused part of the last entry of pieces[] */
static size_t left;
/*
 * numbers of clock readings by all threads, as the threads passed them to hd_recording_file_poll().  written_looks is
 * the value of `looks` at the last write
 */
static _Atomic uint64_t looks, written_looks;
static _Atomic uint64_t rest_until_ns;

static bool write_at(int fd, const char *p, size_t n, uint64_t off)
{
	while (n) {
		long done = syscall(SYS_pwrite64, fd, p, n, (off_t)off);

		if (done <= 0)
			return false;
		p += done;
		off += (uint64_t)done;
		n -= (size_t)done;
	}
	return true;
}

static bool reserve(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[4096];

	if (syscall(SYS_fallocate, fd, 0, (off_t)from, (off_t)bytes) == 0)
		return true;
	if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
		return false;
	for (uint64_t done = 0; done < bytes; done += sizeof(zeros))
		if (!write_at(fd, zeros, sizeof(zeros), from + done))
			return false;
	return true;
}

/*
 * Extend the recording by a piece (a range of memory, and of the file) of `bytes` bytes.  If the disk or the file size
 * limit has no room for that, the piece is smaller, but has at least `least` bytes.  Returns the size of the piece, or
 * 0 if none was added.
 */
static size_t add_piece(int fd, uint64_t from, size_t bytes, size_t least)
{
	uint32_t n = atomic_load_explicit(&npieces, memory_order_relaxed);
	struct piece *e = &pieces[n];
	struct hd_write_signals signals;
	bool room;

	if (n == PIECES)
		return 0;
	hd_write_signals_block(&signals);
	while (!(room = reserve(fd, from, bytes)) && bytes / 2 >= least)
		bytes /= 2;
	hd_write_signals_restore(&signals);
	if (!room)
		return 0;
	*e = (struct piece){
		.p = bytes % HD_HUGE ? hd_recorder_mem_map(bytes) : hd_recorder_mem_map_huge(bytes),
		.off = from, .bytes = bytes, .dirty = hd_recorder_mem_take(bytes >> PAGE_BITS),
	};
	if (!e->p || !e->dirty)
		return 0;
	atomic_store_explicit(&npieces, n + 1, memory_order_release);
	return bytes;
}

/* Write v as a decimal number at p, without a NUL, and return its end. */
static char *put_number(char *p, uint64_t v)
{
	char digits[24];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

/*
 * Create the file PREFIX.PID.  If that file exists, after an exec or because the pid was reused, the name is
 * PREFIX.PID.N.
 */
static int create(void)
{
	size_t n = strlen(hd_recorder.prefix);
	int fd = -1;

	if (n + 64 > sizeof(path))
		return -1;
	for (unsigned int again = 0; again < 10000; again++) {
		char *p = path;

		memcpy(p, hd_recorder.prefix, n);
		p += n;
		*p++ = '.';
		p = put_number(p, (uint64_t)getpid());
		if (again) {
			*p++ = '.';
			p = put_number(p, again);
		}
		*p = 0;
		fd = hd_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_comm(char comm[16])
{
	int fd = hd_sys_open("/proc/self/comm", O_RDONLY, 0);
	ssize_t n = fd < 0 ? 0 : hd_sys_read(fd, comm, 15);

	if (fd >= 0)
		hd_sys_close(fd);
	if (n > 0 && comm[n - 1] == '\n')
		n--;
	memset(comm + (n > 0 ? n : 0), 0, (size_t)(16 - (n > 0 ? n : 0)));
}

static void read_machine(struct hd_heap_header *h)
{
	struct utsname u;

	if (uname(&u) < 0)
		return;
	memcpy(h->hostname, u.nodename, sizeof(h->hostname) - 1);
	memcpy(h->release, u.release, sizeof(h->release) - 1);
	memcpy(h->machine, u.machine, sizeof(h->machine) - 1);
}

/* Add the command line to the recording: its arguments, each followed by a NUL; at most the first 4096 bytes. */
static void add_command(void)
{
	enum { ROOM = 4096 };
	int fd = hd_sys_open("/proc/self/cmdline", O_RDONLY, 0);
	char *text = hd_recorder_mem_take(ROOM);
	ssize_t n = fd < 0 || !text ? 0 : hd_sys_read(fd, text, ROOM);
	char *block;

	if (fd >= 0)
		hd_sys_close(fd);
	if (n <= 0)
		return;
	block = hd_recording_file_block(HD_HEAP_TEXT_BLOCK, (uint32_t)n, (uint32_t)n);
	if (block)
		memcpy(block, text, (size_t)n);
}

bool hd_recording_file_begin(void)
{
	bool exact = hd_recorder.mode == HD_HEAP_MODE_EXACT;
	struct hd_heap_header *h;
	struct stat st;
	size_t first = 0;
	int fd = create();

	if (fd < 0)
		return false;
	atomic_store(&npieces, 0);
	atomic_store(&looks, 0);
	atomic_store(&written_looks, 0);
	atomic_store(&rest_until_ns, 0);
	if (fstat(fd, &st) == 0) {
		dev = st.st_dev;
		ino = st.st_ino;
		first = add_piece(fd, 0, FIRST, LEAST);
	}
	if (!first) {
		hd_sys_close(fd);
		unlink(path);
		return false;
	}
	h = (struct hd_heap_header *)pieces[0].p;
	h->version = HD_HEAP_VERSION;
	h->header_bytes = HD_HEAP_HEADER;
	h->used = HD_HEAP_HEADER;
	h->file_bytes = first;
	h->pid = (uint32_t)getpid();
	h->ppid = (uint32_t)getppid();
	h->interval = exact ? 1 : hd_recorder.interval;
	h->flags = exact ? HD_HEAP_EXACT : hd_recorder.budget ? HD_HEAP_ADAPTIVE : 0;
	h->flags |= hd_recorder.own_new ? HD_HEAP_OWN_NEW : 0;
	h->flags |= hd_recorder.in_table ? HD_HEAP_TABLE : 0;
	h->counter_bytes = exact ? sizeof(struct hd_heap_counter) : sizeof(struct hd_heap_sampled);
	h->begin_ns = now_ns();
	read_comm(h->comm);
	read_machine(h);
	memcpy(h->magic, HD_HEAP_MAGIC, 8);
	at = pieces[0].p + HD_HEAP_HEADER;
	left = first - HD_HEAP_HEADER;
	hd_sys_close(fd);
	hd_recorder.header = h;
	add_command();
	return true;
}

/* Open the file of the recording.  Returns -1 if it was removed or if its name belongs to another file now. */
static int open_file(struct stat *st)
{
	int fd = hd_sys_open(path, O_RDWR | O_NOFOLLOW, 0);

	if (fd >= 0 && (fstat(fd, st) < 0 || st->st_dev != dev || st->st_ino != ino)) {
		hd_sys_close(fd);
		fd = -1;
	}
	return fd;
}

/* Add a piece with room for at least `bytes`.  Returns false if the file cannot grow. */
static bool grow(size_t bytes)
{
	struct hd_heap_header *h = hd_recorder.header;
	size_t piece = h->file_bytes < LARGEST ? (size_t)h->file_bytes : LARGEST, least = LEAST;
	struct hd_heap_block *b;
	struct stat st;
	int fd;

	while (least < bytes + sizeof(*b))
		least *= 2;
	if (piece < least)
		piece = least;
	if (h->flags & HD_HEAP_ENDED)
		return false;
	fd = open_file(&st);
	if (fd < 0)
		return false;
	piece = add_piece(fd, h->file_bytes, piece, least);
	hd_sys_close(fd);
	if (!piece)
		return false;
	/* The rest of the old piece becomes an empty block. */
	if (left) {
		b = (struct hd_heap_block *)at;
		b->bytes = (uint32_t)left;
		hd_recording_file_mark_dirty(b, sizeof(*b));
		atomic_thread_fence(memory_order_release);
		h->used += left;
	}
	h->file_bytes += piece;
	at = pieces[atomic_load(&npieces) - 1].p;
	left = piece;
	/* Counters are accessed at random; huge pages cause fewer TLB misses. */
	if (piece % HD_HUGE || !hd_recorder_mem_make_huge(at, piece))
		hd_recorder_mem_fill(at, piece);
	return true;
}

void hd_recording_file_align(void)
{
	size_t pad = (size_t)(LINE - sizeof(struct hd_heap_block) - (uintptr_t)at % LINE) % LINE;

	if (pad && pad <= left)
		hd_recording_file_block(HD_HEAP_NOTHING_BLOCK, (uint32_t)(pad - sizeof(struct hd_heap_block)), 0);
}

void *hd_recording_file_block(enum hd_heap_block_type type, uint32_t payload, uint32_t n)
{
	size_t bytes = (sizeof(struct hd_heap_block) + payload + HD_HEAP_ALIGN - 1) & ~(size_t)(HD_HEAP_ALIGN - 1);
	struct hd_heap_block *b;

	if (bytes > left && !grow(bytes))
		return NULL;
	b = (struct hd_heap_block *)at;
	*b = (struct hd_heap_block){ .type = type, .bytes = (uint32_t)bytes, .n = n };
	hd_recording_file_mark_dirty(b, bytes);
	atomic_thread_fence(memory_order_release);
	*(volatile uint64_t *)&hd_recorder.header->used += bytes;
	at += bytes;
	left -= bytes;
	return b + 1;
}

/* ---- writing ---- */

void hd_recording_file_mark_dirty(const void *p, size_t bytes)
{
	for (uint32_t i = atomic_load_explicit(&npieces, memory_order_acquire); i-- > 0; ) {
		const struct piece *e = &pieces[i];
		size_t from = (size_t)((const char *)p - e->p);

		if (from >= e->bytes)
			continue;
		for (size_t page = from >> PAGE_BITS, end = (from + bytes - 1) >> PAGE_BITS; page <= end; page++)
			__atomic_store_n(&e->dirty[page], 1, __ATOMIC_RELAXED);
		return;
	}
}

/*
 * Write the dirty pages of a piece (`all`: all its pages) up to offset `used`, and mark them clean if `clean` is set.
 * The page of the header is not written.  Returns false if writing fails.
 */
static bool write_piece(int fd, const struct piece *e, uint64_t used, bool all, bool clean)
{
	size_t bytes = used <= e->off ? 0 : used - e->off < e->bytes ? (size_t)(used - e->off) : e->bytes;
	size_t n = (bytes + PAGE - 1) >> PAGE_BITS, page = e->off == 0, from;

	while (page < n) {
		const uint64_t *eight = (const uint64_t *)(const void *)(e->dirty + page);

		if (!all && page % 8 == 0 && page + 8 <= n && !__atomic_load_n(eight, __ATOMIC_RELAXED)) {
			page += 8;
			continue;
		}
		if (!all && !__atomic_load_n(&e->dirty[page], __ATOMIC_RELAXED)) {
			page++;
			continue;
		}
		for (from = page; page < n && (all || __atomic_load_n(&e->dirty[page], __ATOMIC_RELAXED)); page++)
			if (clean)
				__atomic_store_n(&e->dirty[page], 0, __ATOMIC_RELAXED);
		if (clean)
			atomic_thread_fence(memory_order_seq_cst);
		if (!write_at(fd, e->p + from * PAGE, (page - from) * PAGE, e->off + from * PAGE)) {
			memset(e->dirty + from, 1, page - from);
			return false;
		}
	}
	return true;
}

/*
 * Write the changed pages of the recording (`all`: all pages).  The header is written last, so `used` in the file
 * covers only what is in the file, even if the process is killed.
 *
 * The written pages are marked clean only if a new tick begins with this write.  Within a tick, only the first change
 * of a counter marks its page dirty (ticks.c), so a later change of a page marked clean would not be written.
 */
static bool write_pages(bool all)
{
	struct hd_heap_header *h = hd_recorder.header;
	uint64_t used = h->used;
	bool done = true, clean;
	struct hd_write_signals signals;
	struct stat st;
	int fd = open_file(&st);

	if (fd < 0)
		return false;
	clean = hd_tick_advance();
	all = all || (uint64_t)st.st_size < h->file_bytes;	/* another process truncated it */
	hd_write_signals_block(&signals);
	for (uint32_t i = 0; i < atomic_load(&npieces) && done; i++)
		done = write_piece(fd, &pieces[i], used, all, clean);
	done = done && write_at(fd, pieces[0].p, PAGE, 0);
	hd_write_signals_restore(&signals);
	hd_sys_close(fd);
	return done;
}

void hd_recording_file_write(void)
{
	int errno_was = errno;

	write_pages(true);
	errno = errno_was;
}

static uint64_t monotonic_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool is_due(uint64_t now)
{
	uint64_t n = atomic_load_explicit(&looks, memory_order_relaxed),
		 since = n - atomic_load_explicit(&written_looks, memory_order_relaxed);

	return since >= LOOKS &&
		(since >= n / SHARE || now >= atomic_load_explicit(&rest_until_ns, memory_order_relaxed));
}

COLD void hd_recording_file_poll(uint32_t n)
{
	int errno_was = errno;
	uint64_t now = monotonic_ns(), took;

	atomic_fetch_add_explicit(&looks, n, memory_order_relaxed);
	if (!is_due(now))
		return;
	hd_recorder_lock();
	if (is_due(now) && !(hd_recorder.header->flags & HD_HEAP_ENDED)) {
		write_pages(false);
		took = monotonic_ns() - now;
		atomic_store(&rest_until_ns, now + took + REST * took);
		atomic_store(&written_looks, atomic_load(&looks));
	}
	hd_recorder_unlock();
	errno = errno_was;
}

void hd_recording_file_end(void)
{
	struct hd_heap_header *h = hd_recorder.header;
	uint64_t keep = (h->used + SLACK + hd_recorder.page_size - 1) / hd_recorder.page_size * hd_recorder.page_size;
	size_t slack = (size_t)(keep - h->used);
	struct stat st;
	int fd;

	h->end_ns = now_ns();
	h->flags |= HD_HEAP_ENDED;
	if (keep < h->file_bytes && left >= slack && (fd = open_file(&st)) >= 0) {
		if (ftruncate(fd, (off_t)keep) == 0) {
			h->file_bytes = keep;
			left = slack;
		}
		hd_sys_close(fd);
	}
	write_pages(true);
}
