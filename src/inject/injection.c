/*
 * injection.c - the CUDA driver loads this library and calls InitializeInjection(), because CUDA_INJECTION64_PATH
 * names it
 *
 *     HOTDRIFT_CUDA_OUT=FILE      name of the trace file; %p is the pid
 *     HOTDRIFT_CUDA_STACKS=1      record the CPU stack of each launch
 *     HOTDRIFT_CUPTI=FILE         load libcupti from this file
 *
 * These variables are ignored in a program that has more rights than its user (setuid), so it is not traced.
 *
 * The order of the steps matters.  The file is created first, so that nothing changes in a program without a trace.
 * Our clock is registered before any kind of activity is enabled.  The header is written before the first record.
 */
#include "inject/injection.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { FLUSH_SECONDS = 1, JOIN_SECONDS = 5 };

EXPORT int InitializeInjection(void);

struct hd_cupti hd_cupti;
_Atomic bool hd_recording;

static struct hd_cuda_header header = {
	.magic = HD_CUDA_MAGIC, .version = HD_CUDA_VERSION, .header_bytes = HD_CUDA_HEADER,
};
static pthread_t flusher;
static bool has_flusher;
static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_cond;
static bool stop;

uint64_t hd_injection_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t real_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- libcupti ---- */

static const struct { const char *name; size_t at; bool optional; } functions[] = {
	{ "cuptiSubscribe", offsetof(struct hd_cupti, subscribe), false },
	{ "cuptiEnableCallback", offsetof(struct hd_cupti, enable_callback), false },
	{ "cuptiActivityRegisterCallbacks", offsetof(struct hd_cupti, register_callbacks), false },
	{ "cuptiActivityEnable", offsetof(struct hd_cupti, enable), false },
	{ "cuptiActivityFlushAll", offsetof(struct hd_cupti, flush_all), false },
	{ "cuptiActivityGetNextRecord", offsetof(struct hd_cupti, next_record), false },
	{ "cuptiActivityGetNumDroppedRecords", offsetof(struct hd_cupti, dropped), false },
	{ "cuptiActivityRegisterTimestampCallback", offsetof(struct hd_cupti, register_clock), true },
	{ "cuptiGetVersion", offsetof(struct hd_cupti, version), true },
	{ "cuptiGetResultString", offsetof(struct hd_cupti, result_string), true },
};

static bool refuse(enum hd_cuda_status status, uint32_t result, const char *what, const char *why)
{
	struct hd_stderr_line t = { .n = 0 };

	hd_stderr_line_add(&t, what);
	hd_stderr_line_add(&t, ": ");
	hd_stderr_line_add(&t, why);
	header.status = status;
	header.result = result;
	memset(header.reason, 0, sizeof(header.reason));
	memcpy(header.reason, t.s, t.n < sizeof(header.reason) ? t.n : sizeof(header.reason) - 1);
	return false;
}

static bool refuse_call(uint32_t result, const char *function)
{
	const char *why = NULL;

	if (!hd_cupti.result_string || hd_cupti.result_string(result, &why) != 0 || !why)
		why = "CUPTI refused";
	return refuse(result == HD_CUPTI_BUSY ? HD_CUDA_BUSY : HD_CUDA_REFUSED, result, function, why);
}

/* Return the major version of CUDA that the driver supports; 0: unknown. */
static int driver_major(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	int (*get)(int *) = NULL;
	int version = 0;

	if (!driver)
		return 0;
	*(void **)&get = dlsym(driver, "cuDriverGetVersion");
	if (!get || get(&version) != 0)
		version = 0;
	dlclose(driver);
	return version / 1000;
}

/*
 * Open libcupti.  If HOTDRIFT_CUPTI names a file, use only that one.  If the program has loaded a libcupti, use it,
 * because two in one process disturb each other.  Otherwise try the libcupti of the driver's major version (of all
 * versions if that is unknown), then those of older versions, then the one in the toolkit's folder.
 */
static void *open_cupti(void)
{
	static const char *const names[] = {
		"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so.11.7", "libcupti.so.11.6",
		"libcupti.so.11.5",
		"libcupti.so.11.4", "libcupti.so.11.3", "libcupti.so.11.2", "libcupti.so.11.1", "libcupti.so.11.0",
		"libcupti.so", "/usr/local/cuda/lib64/libcupti.so", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
	};
	const size_t n = sizeof(names) / sizeof(names[0]);
	const char *given = secure_getenv("HOTDRIFT_CUPTI");
	int driver = driver_major();
	void *lib = NULL;

	if (given && given[0])
		return dlopen(given, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; i < n && !lib; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	for (size_t i = 0; i < n && !lib; i++) {
		const char *major = strstr(names[i], ".so.");

		if (!driver || !major || atoi(major + 4) <= driver)
			lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	}
	return lib;
}

static bool load_cupti(void)
{
	void *lib = open_cupti();

	if (!lib) {
		const char *given = secure_getenv("HOTDRIFT_CUPTI");

		return refuse(HD_CUDA_NO_CUPTI, 0, given && given[0] ? given : "libcupti", "cannot be loaded");
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *f = dlsym(lib, functions[i].name);

		if (!f && !functions[i].optional)
			return refuse(HD_CUDA_NO_FUNCTION, 0, functions[i].name, "libcupti does not have it");
		memcpy((char *)&hd_cupti + functions[i].at, &f, sizeof(f));
	}
	if (!hd_cupti.version || hd_cupti.version(&header.cupti_version) != 0)
		header.cupti_version = 0;
	return true;
}

/* ---- what is recorded ---- */

static void note(uint32_t result, const char *what)
{
	if (hd_trace_file_lock()) {
		hd_trace_file_text(HD_CUDA_NOTE, result, what, strlen(what));
		hd_trace_file_unlock();
	}
}

static bool begin_cupti(void **subscriber)
{
	uint32_t rc = hd_cupti.subscribe(subscriber, hd_launch_call, NULL);

	if (rc)
		return refuse_call(rc, "cuptiSubscribe");
	if (hd_cupti.register_clock && hd_cupti.register_clock(hd_injection_now) == 0)
		header.flags |= HD_CUDA_MONOTONIC;
	rc = hd_cupti.register_callbacks(hd_activity_records_request, hd_activity_records_complete);
	return rc ? refuse_call(rc, "cuptiActivityRegisterCallbacks") : true;
}

static bool begin_kinds(void)
{
	static const struct { uint32_t kind; const char *what; } kinds[] = {
		{ HD_CUPTI_MEMCPY, "copies are not recorded" }, { HD_CUPTI_MEMSET, "memsets are not recorded" },
		{ HD_CUPTI_MEMCPY2, "copies between devices are not recorded" },
		{ HD_CUPTI_SYNCHRONIZATION, "synchronisation is not recorded" },
		{ HD_CUPTI_DEVICE, "devices are not described" },
	};
	uint32_t rc = hd_cupti.enable(HD_CUPTI_CONCURRENT_KERNEL);

	if (rc)
		return refuse_call(rc, "cuptiActivityEnable");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		rc = hd_cupti.enable(kinds[i].kind);
		if (rc)
			note(rc, kinds[i].what);
	}
	return true;
}

/*
 * Enable a callback for each API function that puts work on a GPU or resets a device.  A version of CUPTI rejects the
 * numbers of functions that later versions added, so a failure is no error.
 */
static void begin_calls(void *subscriber)
{
#define ROW(name, id) id,
	static const uint16_t runtime[] = { HD_RUNTIME_LAUNCHES(ROW) HD_CUPTI_DEVICE_RESET };
	static const uint16_t driver[] = { HD_DRIVER_LAUNCHES(ROW) };
#undef ROW
	size_t enabled = 0;

	for (size_t i = 0; i < sizeof(runtime) / sizeof(runtime[0]); i++)
		enabled += !hd_cupti.enable_callback(1, subscriber, HD_CUPTI_RUNTIME, runtime[i]);
	for (size_t i = 0; i < sizeof(driver) / sizeof(driver[0]); i++)
		enabled += !hd_cupti.enable_callback(1, subscriber, HD_CUPTI_DRIVER, driver[i]);
	if (!enabled)
		note(0, "launches are not recorded");
}

static void read_comm(void)
{
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, header.comm, sizeof(header.comm) - 1);

	if (fd >= 0)
		close(fd);
	if (n > 0 && header.comm[n - 1] == '\n')
		header.comm[n - 1] = 0;
}

static void write_command(void)
{
	static char text[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	if (n > 0 && hd_trace_file_lock()) {
		hd_trace_file_text(HD_CUDA_COMMAND, 0, text, (size_t)n);
		hd_trace_file_unlock();
	}
}

static void describe(bool stacks)
{
	struct utsname u;

	header.pid = (uint32_t)getpid();
	header.ppid = (uint32_t)getppid();
	header.flags = stacks ? HD_CUDA_STACKS : 0;
	/*
	 * Read CLOCK_REALTIME before CLOCK_MONOTONIC.  Times of CUPTI are converted to CLOCK_MONOTONIC by subtracting
	 * real - monotonic.  A delay between the two readings makes the converted times late, so no activity appears
	 * before its launch.
	 */
	header.begin_real_ns = real_now();
	header.begin_monotonic_ns = hd_injection_now();
	if (getrandom(header.run_id, sizeof(header.run_id), GRND_NONBLOCK) != sizeof(header.run_id)) {
		uint64_t id[2] = { header.begin_real_ns,
			(uint64_t)header.pid << 32 | (uint32_t)header.begin_monotonic_ns };

		memcpy(header.run_id, id, sizeof(header.run_id));
	}
	read_comm();
	if (uname(&u) == 0) {
		memcpy(header.hostname, u.nodename, sizeof(header.hostname) - 1);
		memcpy(header.release, u.release, sizeof(header.release) - 1);
		memcpy(header.machine, u.machine, sizeof(header.machine) - 1);
	}
}

/* ---- while it runs, and its end ---- */

/*
 * Thread function: flush regularly.  CUPTI delivers activities only when a buffer is full, so a program that is killed
 * would lose the last ones.
 */
static void *flush_now_and_then(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&stop_lock);
	while (!stop) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += FLUSH_SECONDS;
		if (pthread_cond_timedwait(&stop_cond, &stop_lock, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&stop_lock);
		hd_cupti.flush_all(0);
		if (hd_trace_file_lock()) {
			hd_activity_records_lost();
			hd_trace_file_write();
			hd_trace_file_unlock();
		}
		pthread_mutex_lock(&stop_lock);
	}
	pthread_mutex_unlock(&stop_lock);
	return NULL;
}

/* Start the flushing thread with all signals blocked, so that the program's signals are never delivered to it. */
static void begin_flusher(void)
{
	pthread_condattr_t attr;
	sigset_t all, was;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&stop_cond, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	has_flusher = pthread_create(&flusher, NULL, flush_now_and_then, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (!has_flusher)
		note(0, "no thread could be started: a program that is killed loses more than a second of its trace");
}

/*
 * Wait for the end of the flushing thread.  Returns false if the thread does not end, because it waits for a lock that
 * the exiting thread holds.  CUPTI must not be called any more in that case.
 */
static bool end_flusher(void)
{
	struct timespec until;

	if (!has_flusher)
		return true;
	pthread_mutex_lock(&stop_lock);
	stop = true;
	pthread_cond_signal(&stop_cond);
	pthread_mutex_unlock(&stop_lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOIN_SECONDS;
	return pthread_timedjoin_np(flusher, NULL, &until) == 0;
}

static void at_exit(void)
{
	struct hd_cuda_end *e;

	if (header.pid != (uint32_t)getpid() || !end_flusher())
		return;
	hd_cupti.flush_all(HD_CUPTI_FORCED);
	if (!hd_trace_file_lock())
		return;
	hd_activity_records_lost();
	e = hd_trace_file_record(HD_CUDA_END, sizeof(*e), 0);
	if (e) {
		e->monotonic_ns = hd_injection_now();
		e->real_ns = real_now();
		e->launches = hd_launch_count;
	}
	hd_trace_file_write();
	atomic_store(&hd_recording, false);
	hd_trace_file_unlock();
}

static void in_child(void)
{
	atomic_store(&hd_recording, false);
}

static void begin(void)
{
	const char *name = secure_getenv("HOTDRIFT_CUDA_OUT"), *stacks = secure_getenv("HOTDRIFT_CUDA_STACKS");
	struct hd_stderr_line say = { .n = 0 };
	void *subscriber = NULL;
	bool ready;

	if (!name || !name[0]) {
		hd_stderr_line_add(&say, "libhotdrift-cuda: HOTDRIFT_CUDA_OUT names no file; the GPU is not traced");
		hd_stderr_line_print(&say);
		return;
	}
	ready = hd_trace_file_begin(name, &say);
	if (!ready) {
		hd_stderr_line_print(&say);
		return;
	}
	describe(stacks && !strcmp(stacks, "1"));
	hd_launch_begin(header.flags & HD_CUDA_STACKS);
	ready = load_cupti() && begin_cupti(&subscriber);
	hd_activity_records_begin(header.cupti_version);
	if (!hd_trace_file_header(&header)) {
		hd_trace_file_remove(&say);
		hd_stderr_line_print(&say);
		return;
	}
	if (say.n)
		hd_stderr_line_print(&say);
	if (!ready)
		return;
	atomic_store(&hd_recording, true);
	pthread_atfork(NULL, NULL, in_child);
	write_command();
	if (!(header.flags & HD_CUDA_MONOTONIC))
		note(0, "CUPTI did not accept our clock: activities have CLOCK_REALTIME");
	if (!begin_kinds()) {
		hd_trace_file_header(&header);
		atomic_store(&hd_recording, false);
		return;
	}
	begin_calls(subscriber);
	begin_flusher();
	atexit(at_exit);
}

int InitializeInjection(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int error = errno;

	pthread_once(&once, begin);
	errno = error;
	return 1;
}
