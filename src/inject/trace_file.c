/*
 * trace_file.c - the trace: records are collected in one buffer, which is written as a block to the end of the file
 *
 *     hd_trace_file_lock()   hd_trace_file_record() ... filled ...   hd_trace_file_unlock()        -> buffer
 *     buffer full, or hd_trace_file_write()                                  -> one pwrite()
 *
 * The descriptor is open only during a write, so that a program that closes all descriptors, or counts them, does not
 * find ours.  A write that fails ends the trace: its header has the errno, and the blocks before that write are
 * complete.  Only if the process is out of descriptors or memory, the write is tried again later.
 */
#include "guest/write_signals.h"
#include "inject/injection.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 128 * 1024, FULL = 64 * 1024, NAMES = 10000 };

static char path[4096 + 64];
static dev_t dev;
static ino_t ino;
static bool begun;
static pid_t pid;
static uint64_t file_bytes;			/* offset of the next block */
static uint32_t sequence;
static struct hd_cuda_header header;		/* as it is in the file */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside;	/* this thread holds the lock */

uint64_t hd_trace_file_dropped;

static char buffer[BUFFER] __attribute__((aligned(8)));
static size_t used;				/* bytes, with the block's head; 0: empty */

/* ---- text ---- */

void hd_stderr_line_add(struct hd_stderr_line *t, const char *s)
{
	size_t n = strlen(s), room = sizeof(t->s) - 2 - t->n;	/* a newline and a NUL fit always */

	n = n < room ? n : room;
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = 0;
}

void hd_stderr_line_add_number(struct hd_stderr_line *t, uint64_t v)
{
	char digits[24];
	size_t n = sizeof(digits);

	digits[--n] = 0;
	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	hd_stderr_line_add(t, digits + n);
}

void hd_stderr_line_print(const struct hd_stderr_line *t)
{
	struct hd_stderr_line line = *t;
	struct hd_write_signals signals;
	ssize_t n;

	line.s[line.n++] = '\n';
	hd_write_signals_block(&signals);
	n = write(STDERR_FILENO, line.s, line.n);
	(void)n;				/* there is nowhere else to report it */
	hd_write_signals_restore(&signals);
}

/* ---- the file ---- */

static void fail(struct hd_stderr_line *say, const char *what, const char *name, int error)
{
	say->n = 0;
	hd_stderr_line_add(say, "libhotdrift-cuda: the GPU is not traced: cannot ");
	hd_stderr_line_add(say, what);
	hd_stderr_line_add(say, " the trace: ");
	hd_stderr_line_add(say, strerrordesc_np(error) ? strerrordesc_np(error) : "unknown error");
	hd_stderr_line_add(say, ": ");
	hd_stderr_line_add(say, name);
}

/*
 * Set `path` to the absolute form of `name`, because the program may change its working directory.  If that folder is
 * unknown, the path stays relative.  "%p" becomes the pid.  Returns false if the path is too long.
 */
static bool expand(const char *name)
{
	struct hd_stderr_line number = { .n = 0 };
	size_t n = 0;

	hd_stderr_line_add_number(&number, (uint64_t)pid);
	if (name[0] != '/' && getcwd(path, sizeof(path) - 64)) {
		n = strlen(path);
		path[n++] = '/';
	}
	for (; *name && n + number.n < sizeof(path) - 64; name++) {
		if (name[0] == '%' && name[1] == 'p') {
			memcpy(path + n, number.s, number.n);
			n += number.n;
			name++;
		} else {
			path[n++] = *name;
		}
	}
	path[n] = 0;
	return !*name;
}

/*
 * Open a file, but do not use the descriptor of a standard stream: the program may have closed that stream and may
 * write to its number later.
 */
static int open_above(const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC, 0600), above;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return above;
}

/*
 * Create the trace.  An existing file is not overwritten: the trace then gets the name NAME.PID or NAME.PID.N.  A
 * device such as /dev/full is opened and written.
 */
static int create(struct hd_stderr_line *say)
{
	size_t n = strlen(path);
	struct stat st;
	int fd = -1;

	for (unsigned int again = 0; again < NAMES; again++) {
		struct hd_stderr_line suffix = { .n = 0 };

		if (again) {
			hd_stderr_line_add(&suffix, ".");
			hd_stderr_line_add_number(&suffix, (uint64_t)pid);
		}
		if (again > 1) {
			hd_stderr_line_add(&suffix, ".");
			hd_stderr_line_add_number(&suffix, again - 1);
		}
		memcpy(path + n, suffix.s, suffix.n + 1);
		fd = open_above(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
		if (fd < 0 && errno == EEXIST && !again && stat(path, &st) == 0 && S_ISCHR(st.st_mode))
			fd = open_above(path, O_WRONLY | O_NOCTTY);
		if (fd >= 0 || errno != EEXIST) {
			if (fd >= 0 && again) {
				hd_stderr_line_add(say, "libhotdrift-cuda: ");
				path[n] = 0;
				hd_stderr_line_add(say, path);
				memcpy(path + n, suffix.s, suffix.n + 1);
				hd_stderr_line_add(say, " exists; the trace is ");
				hd_stderr_line_add(say, path);
			}
			break;
		}
	}
	return fd;
}

bool hd_trace_file_begin(const char *name, struct hd_stderr_line *say)
{
	struct stat st;
	int fd, error;

	pid = getpid();
	if (!expand(name)) {
		fail(say, "create", name, ENAMETOOLONG);
		return false;
	}
	fd = create(say);
	error = errno;
	if (fd < 0) {
		fail(say, "create", path, error);
		return false;
	}
	if (fstat(fd, &st) < 0) {
		fail(say, "create", path, errno);
		close(fd);
		if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size)
			unlink(path);
		return false;
	}
	close(fd);
	dev = st.st_dev;
	ino = st.st_ino;
	begun = true;
	file_bytes = HD_CUDA_HEADER;
	return true;
}

/* Write n bytes at offset `off`; a device has no offsets and gets them in order.  Returns 0 or an errno. */
static int write_at(int fd, const char *p, size_t n, uint64_t off)
{
	while (n) {
		ssize_t done = pwrite(fd, p, n, (off_t)off);

		if (done < 0 && errno == ESPIPE)
			done = write(fd, p, n);		/* a device */
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		p += done;
		off += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

/*
 * Write to the trace file.  Returns 0 or an errno: ENOENT if the file was removed or its name belongs to another file,
 * ECHILD in a forked child.
 */
static int put(const void *p, size_t n, uint64_t off)
{
	struct hd_write_signals signals;
	struct stat st;
	int fd, rc;

	if (getpid() != pid)
		return ECHILD;
	fd = open_above(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY);
	if (fd < 0)
		return errno;
	if (fstat(fd, &st) < 0 || st.st_dev != dev || st.st_ino != ino) {
		close(fd);
		return ENOENT;
	}
	hd_write_signals_block(&signals);
	rc = write_at(fd, p, n, off);
	hd_write_signals_restore(&signals);
	close(fd);
	return rc;
}

/* End the trace after an error, which is stored in its header if possible. */
static void give_up(int error)
{
	atomic_store(&hd_recording, false);
	begun = false;
	header.write_error = (uint32_t)error;
	put(&header, sizeof(header), 0);
}

bool hd_trace_file_header(const struct hd_cuda_header *h)
{
	int rc;

	header = *h;
	if (!begun)
		return false;
	rc = put(h, sizeof(*h), 0);
	if (rc)
		give_up(rc);
	return !rc;
}

void hd_trace_file_remove(struct hd_stderr_line *say)
{
	struct stat st;

	fail(say, "write", path, (int)header.write_error);
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == dev && st.st_ino == ino)
		unlink(path);
}

void hd_trace_file_write(void)
{
	struct hd_cuda_block *b = (struct hd_cuda_block *)buffer;
	int rc;

	if (!begun || !used)
		return;
	b->magic = HD_CUDA_BLOCK;
	b->bytes = (uint32_t)used;
	b->sequence = sequence++;
	b->written_ns = hd_injection_now();
	rc = put(buffer, used, file_bytes);
	if (rc == EMFILE || rc == ENFILE || rc == ENOMEM) {
		sequence--;			/* no descriptor or memory is free; try again later */
		return;
	}
	if (rc) {
		give_up(rc);
		return;
	}
	file_bytes += used;
	used = 0;
}

/* ---- records ---- */

void *hd_trace_file_record(enum hd_cuda_type type, size_t bytes, uint32_t n)
{
	struct hd_cuda_record *r;

	bytes = (bytes + 7) & ~(size_t)7;
	if (!begun || bytes > UINT16_MAX)
		return NULL;
	if (used >= FULL || used + bytes > BUFFER)
		hd_trace_file_write();
	if (begun && used + bytes > BUFFER)
		hd_trace_file_dropped++;
	if (!begun || used + bytes > BUFFER)
		return NULL;
	if (!used) {
		memset(buffer, 0, sizeof(struct hd_cuda_block));
		used = sizeof(struct hd_cuda_block);
	}
	r = (struct hd_cuda_record *)(buffer + used);
	memset(r, 0, bytes);
	r->type = (uint16_t)type;
	r->bytes = (uint16_t)bytes;
	r->n = n;
	used += bytes;
	((struct hd_cuda_block *)buffer)->records++;
	return r;
}

bool hd_trace_file_text(enum hd_cuda_type type, uint32_t n, const char *text, size_t len)
{
	struct hd_cuda_text *t;

	len = len < 32768 ? len : 32768;
	t = hd_trace_file_record(type, sizeof(*t) + len, n);
	if (!t)
		return false;
	t->len = (uint32_t)len;
	memcpy(t + 1, text, len);
	return true;
}

bool hd_trace_file_lock(void)
{
	if (inside || !atomic_load_explicit(&hd_recording, memory_order_acquire))
		return false;
	inside = true;
	atomic_signal_fence(memory_order_seq_cst);
	pthread_mutex_lock(&mutex);
	if (atomic_load_explicit(&hd_recording, memory_order_acquire))
		return true;
	hd_trace_file_unlock();
	return false;
}

void hd_trace_file_unlock(void)
{
	pthread_mutex_unlock(&mutex);
	atomic_signal_fence(memory_order_seq_cst);
	inside = false;
}

/* ---- ids ---- */

uint64_t hd_hash_ids_hash(const void *p, size_t n)
{
	const unsigned char *b = p;
	uint64_t h = n * 0x9e3779b97f4a7c15u, w;

	for (; n; b += sizeof(w), n -= n < sizeof(w) ? n : sizeof(w)) {
		w = 0;
		memcpy(&w, b, n < sizeof(w) ? n : sizeof(w));
		h = (h ^ w) * 0xbf58476d1ce4e5b9u;
		h ^= h >> 29;
	}
	return h ? h : 1;
}

void hd_hash_ids_clear(struct hd_hash_ids *t)
{
	memset(t->slot, 0, sizeof(t->slot));
	t->used = 0;
}

uint32_t hd_hash_ids_get(struct hd_hash_ids *t, uint64_t hash, bool *is_new)
{
	const uint32_t n = sizeof(t->slot) / sizeof(t->slot[0]);
	uint32_t i = (uint32_t)hash % n;

	while (t->slot[i].hash && t->slot[i].hash != hash)
		i = (i + 1) % n;
	*is_new = !t->slot[i].hash;
	if (!*is_new)
		return t->slot[i].id;
	if (t->used >= n / 4 * 3) {
		hd_hash_ids_clear(t);
		i = (uint32_t)hash % n;
	}
	t->used++;
	t->newest = i;
	t->slot[i].hash = hash;
	t->slot[i].id = ++t->last;
	return t->last;
}

void hd_hash_ids_take_back(struct hd_hash_ids *t)
{
	t->slot[t->newest].hash = 0;
	t->used--;
	t->last--;
}
