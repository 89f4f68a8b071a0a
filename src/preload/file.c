/*
 * file.c - the recording: a file that is mapped piece by piece and counted in
 *
 * Its descriptor is open only while it grows, so that a program that closes all
 * of them, or counts them, sees none of ours.  Space is taken from the disk
 * before it is used: a full one stops the recording, never the program.
 */
#include "preload/inner.h"
#include "preload/sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	FIRST = 256 * 1024, LARGEST = 4 * 1024 * 1024,	/* of a piece; each is as large as all before it */
	SLACK = 64 * 1024,				/* left behind what is used at the end, for what exit handlers still do */
	PATH_ROOM = 4096,
	LINE = 64,
};

static char path[PATH_ROOM];
static dev_t dev;
static ino_t ino;
static char *at;		/* the free part of the piece mapped last */
static size_t left;

static bool reserve(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[4096];

	if (syscall(SYS_fallocate, fd, 0, (off_t)from, (off_t)bytes) == 0)
		return true;
	if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
		return false;
	for (uint64_t done = 0; done < bytes; done += sizeof(zeros))
		if (syscall(SYS_pwrite64, fd, zeros, sizeof(zeros), (off_t)(from + done)) != (long)sizeof(zeros))
			return false;
	return true;
}

static char *map_piece(int fd, uint64_t from, size_t bytes)
{
	return reserve(fd, from, bytes) ? hd_mem_map_file(fd, from, bytes) : NULL;
}

/* The path: PREFIX.PID, and where that is taken (an exec, a pid used again) PREFIX.PID.N. */
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

static int create(void)
{
	size_t n = strlen(hd_process.prefix);
	int fd = -1;

	if (n + 64 > sizeof(path))
		return -1;
	for (unsigned int again = 0; again < 10000; again++) {
		char *p = path;

		memcpy(p, hd_process.prefix, n);
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

/* The command line, as it is in memory: arguments, each with a NUL behind it. */
static void add_command(void)
{
	enum { ROOM = 4096 };
	int fd = hd_sys_open("/proc/self/cmdline", O_RDONLY, 0);
	char *text = hd_mem_take(ROOM);
	ssize_t n = fd < 0 || !text ? 0 : hd_sys_read(fd, text, ROOM);
	char *block;

	if (fd >= 0)
		hd_sys_close(fd);
	if (n <= 0)
		return;
	block = hd_file_block(HD_HEAP_TEXT_BLOCK, (uint32_t)n, (uint32_t)n);
	if (block)
		memcpy(block, text, (size_t)n);
}

bool hd_file_begin(void)
{
	bool exact = hd_process.mode == HD_MODE_EXACT;
	struct hd_heap_header *h;
	struct stat st;
	char *p = NULL;
	int fd = create();

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0) {
		dev = st.st_dev;
		ino = st.st_ino;
		p = map_piece(fd, 0, FIRST);
	}
	hd_sys_close(fd);
	if (!p) {
		unlink(path);
		return false;
	}
	h = (struct hd_heap_header *)p;
	h->version = HD_HEAP_VERSION;
	h->header_bytes = HD_HEAP_HEADER;
	h->used = HD_HEAP_HEADER;
	h->file_bytes = FIRST;
	h->pid = (uint32_t)getpid();
	h->ppid = (uint32_t)getppid();
	h->interval = exact ? 1 : hd_process.interval;
	h->flags = exact ? HD_HEAP_EXACT : hd_process.budget ? HD_HEAP_ADAPTIVE : 0;
	h->flags |= hd_process.own_new ? HD_HEAP_OWN_NEW : 0;
	h->counter_bytes = exact ? sizeof(struct hd_heap_counter) : sizeof(struct hd_heap_sampled);
	h->begin_ns = now_ns();
	read_comm(h->comm);
	read_machine(h);
	memcpy(h->magic, HD_HEAP_MAGIC, 8);
	at = p + HD_HEAP_HEADER;
	left = FIRST - HD_HEAP_HEADER;
	hd_process.header = h;
	add_command();
	return true;
}

/* Room for at least `bytes` more. */
static bool grow(size_t bytes)
{
	struct hd_heap_header *h = hd_process.header;
	size_t piece = h->file_bytes < LARGEST ? (size_t)h->file_bytes : LARGEST;
	struct hd_heap_block *b;
	struct stat st;
	char *p = NULL;
	int fd;

	while (piece < bytes + sizeof(*b))
		piece *= 2;
	if (h->flags & HD_HEAP_ENDED)
		return false;
	fd = hd_sys_open(path, O_RDWR | O_NOFOLLOW, 0);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino)
		p = map_piece(fd, h->file_bytes, piece);
	hd_sys_close(fd);
	if (!p)
		return false;
	/* What is left of the old piece becomes a block that nobody reads. */
	if (left) {
		b = (struct hd_heap_block *)at;
		b->bytes = (uint32_t)left;
		atomic_thread_fence(memory_order_release);
		h->used += left;
	}
	hd_mem_fill(p, piece);
	h->file_bytes += piece;
	at = p;
	left = piece;
	return true;
}

/* A block of nothing, so that what the next one holds begins at a line of the processor's cache. */
void hd_file_align(void)
{
	size_t pad = (size_t)(LINE - sizeof(struct hd_heap_block) - (uintptr_t)at % LINE) % LINE;

	if (pad && pad <= left)
		hd_file_block(HD_HEAP_NOTHING_BLOCK, (uint32_t)(pad - sizeof(struct hd_heap_block)), 0);
}

void *hd_file_block(enum hd_heap_block_type type, uint32_t payload, uint32_t n)
{
	size_t bytes = (sizeof(struct hd_heap_block) + payload + HD_HEAP_ALIGN - 1) & ~(size_t)(HD_HEAP_ALIGN - 1);
	struct hd_heap_block *b;

	if (bytes > left && !grow(bytes))
		return NULL;
	b = (struct hd_heap_block *)at;
	*b = (struct hd_heap_block){ .type = type, .bytes = (uint32_t)bytes, .n = n };
	atomic_thread_fence(memory_order_release);
	*(volatile uint64_t *)&hd_process.header->used += bytes;
	at += bytes;
	left -= bytes;
	return b + 1;
}

void hd_file_end(void)
{
	struct hd_heap_header *h = hd_process.header;
	uint64_t keep = (h->used + SLACK + hd_process.page_size - 1) / hd_process.page_size * hd_process.page_size;
	size_t slack = (size_t)(keep - h->used);
	struct stat st;
	int fd;

	h->end_ns = now_ns();
	h->flags |= HD_HEAP_ENDED;
	if (keep >= h->file_bytes || left < slack)
		return;
	fd = hd_sys_open(path, O_RDWR | O_NOFOLLOW, 0);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino && ftruncate(fd, (off_t)keep) == 0) {
		h->file_bytes = keep;
		left = slack;
	}
	hd_sys_close(fd);
}
