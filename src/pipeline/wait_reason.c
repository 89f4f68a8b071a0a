/*
 * wait_reason.c - see wait_reason.h
 */
#include "pipeline/wait_reason.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 512 };		/* maximum number of nodes that are visited per stack */

/* Flags of a location.  0 means that the location is not classified yet. */
enum { SEEN = 1, IS_RUN_TASK = 2, IS_PARK = 4, IS_FUTURE = 8, REASON_SHIFT = 4 };

/*
 * Functions in which threads wait.  A name that ends in * is a prefix.  Kernel names are those of Linux 5.10 to 6.18.
 * Functions that serve several reasons (schedule_timeout, schedule_hrtimeout_range) are not listed.
 */
static const struct {
	const char *name, *reason;
	bool kernel;
} table[] = {
	{ "futex_*", "futex", true }, { "do_futex", "futex", true }, { "__futex_wait", "futex", true },
	{ "rt_mutex_*", "futex", true },
	{ "ep_poll", "epoll", true }, { "do_epoll_*", "epoll", true },
	{ "do_sys_poll", "poll", true }, { "do_poll*", "poll", true }, { "do_select", "poll", true },
	{ "core_sys_select", "poll", true },
	{ "do_nanosleep", "sleep", true }, { "hrtimer_nanosleep", "sleep", true }, { "common_nsleep*", "sleep", true },
	{ "pipe_read", "pipe", true }, { "pipe_write", "pipe", true }, { "anon_pipe_*", "pipe", true },
	{ "pipe_wait*", "pipe", true },
	{ "fifo_open", "pipe", true }, { "wait_for_partner", "pipe", true },
	{ "sk_wait_data", "socket", true }, { "sk_stream_wait_*", "socket", true },
	{ "inet_csk_accept", "socket", true },
	{ "inet_stream_connect", "socket", true }, { "__inet_stream_connect", "socket", true },
	{ "unix_stream_*", "socket", true },
	{ "unix_dgram_*", "socket", true }, { "unix_accept", "socket", true }, { "unix_wait_*", "socket", true },
	{ "__skb_wait_for_more_packets", "socket", true }, { "__skb_recv_*", "socket", true },
	{ "tcp_*", "socket", true },
	{ "udp_*", "socket", true }, { "sock_*", "socket", true }, { "__sock_*", "socket", true },
	{ "vsock_*", "socket", true },
	{ "io_schedule*", "disk", true }, { "folio_wait_*", "disk", true }, { "wait_on_page_*", "disk", true },
	{ "blk_*", "disk", true },
	{ "__bio_*", "disk", true }, { "submit_bio_wait", "disk", true }, { "jbd2_*", "disk", true },
	{ "xlog_*", "disk", true },
	{ "__wait_on_buffer", "disk", true }, { "balance_dirty_pages*", "disk", true }, { "read_events", "disk", true },
	{ "file_write_and_wait_range", "disk", true }, { "ext4_*", "disk", true }, { "xfs_*", "disk", true },
	{ "btrfs_*", "disk", true },
	{ "do_wait", "child", true }, { "kernel_wait4", "child", true }, { "wait_for_vfork_done", "child", true },
	{ "do_sigtimedwait*", "signal", true }, { "sigsuspend", "signal", true }, { "do_signal_stop", "signal", true },
	{ "__do_sys_pause", "signal", true }, { "ptrace_*", "signal", true }, { "signalfd_*", "signal", true },
	{ "io_cqring_wait", "io_uring", true }, { "io_wq_*", "io_uring", true }, { "io_sq_thread", "io_uring", true },
	{ "eventfd_*", "eventfd", true }, { "timerfd_*", "sleep", true }, { "inotify_*", "inotify", true },
	{ "n_tty_*", "terminal", true }, { "tty_*", "terminal", true },
	{ "fcntl_setlk*", "file lock", true }, { "locks_lock_*", "file lock", true },
	{ "flock_lock_*", "file lock", true },
	{ "do_semtimedop", "semaphore", true }, { "__do_semtimedop", "semaphore", true },
	{ "do_msg*", "message queue", true },
	{ "__mutex_lock*", "kernel lock", true }, { "rwsem_*", "kernel lock", true }, { "down_*", "kernel lock", true },
	{ "__down_*", "kernel lock", true }, { "percpu_*", "kernel lock", true },
	{ "wait_for_completion*", "kernel work", true },
	{ "synchronize_rcu*", "kernel work", true }, { "flush_work", "kernel work", true },
	{ "do_user_addr_fault", "page fault", true }, { "exc_page_fault", "page fault", true },
	{ "do_page_fault", "page fault", true },
	{ "do_swap_page", "page fault", true }, { "filemap_fault", "page fault", true },
	{ "handle_mm_fault", "page fault", true },
	{ "__futex_abstimed_wait*", "futex", false }, { "__lll_lock_wait*", "futex", false },
	{ "pthread_cond_*", "futex", false },
	{ "pthread_mutex_lock*", "futex", false }, { "___pthread_*", "futex", false },
	{ "__pthread_clockjoin*", "futex", false },
	{ "sem_wait*", "futex", false }, { "__new_sem_wait*", "futex", false },
	{ "epoll_wait*", "epoll", false }, { "epoll_pwait*", "epoll", false },
	{ "poll", "poll", false }, { "__poll", "poll", false }, { "ppoll", "poll", false },
	{ "__select", "poll", false },
	{ "select", "poll", false }, { "pselect", "poll", false },
	{ "nanosleep", "sleep", false }, { "__nanosleep", "sleep", false }, { "clock_nanosleep*", "sleep", false },
	{ "__clock_nanosleep*", "sleep", false }, { "usleep", "sleep", false },
	{ "accept", "socket", false }, { "accept4", "socket", false }, { "recv", "socket", false },
	{ "__libc_recv*", "socket", false },
	{ "recvfrom", "socket", false }, { "recvmsg", "socket", false }, { "__libc_send*", "socket", false },
	{ "connect", "socket", false },
	{ "wait4", "child", false }, { "waitpid", "child", false }, { "__wait4", "child", false },
	{ "waitid", "child", false },
	{ "fsync", "disk", false }, { "fdatasync", "disk", false },
	{ "read", "read or write", false }, { "__libc_read", "read or write", false },
	{ "__read", "read or write", false },
	{ "write", "read or write", false }, { "__libc_write", "read or write", false },
	{ "__write", "read or write", false },
};

struct hd_wait_reasons {
	const struct hd_profile *p;
	const struct hd_locator *l;
	const struct hd_chains *c;
	/* of[location]: the flags of the location | (index in `table` + 1, or 0) << REASON_SHIFT */
	uint16_t *of;
	size_t n, cap;
};

struct hd_wait_reasons *hd_wait_reasons_new(const struct hd_profile *p, const struct hd_locator *l,
	const struct hd_chains *c)
{
	struct hd_wait_reasons *r = hd_new(struct hd_wait_reasons);

	r->p = p;
	r->l = l;
	r->c = c;
	return r;
}

void hd_wait_reasons_free(struct hd_wait_reasons *r)
{
	if (!r)
		return;
	free(r->of);
	free(r);
}

/* ---- names ---- */

static bool like(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == '*' ? !strncmp(pattern, name, n - 1) : !strcmp(pattern, name);
}

/* Return the index + 1 of the first row of `table` (functions in which threads wait) that matches the name, or 0. */
static unsigned row_of(const char *name, bool kernel)
{
	for (unsigned i = 0; i < HD_COUNT(table); i++)
		if (table[i].kernel == kernel && like(table[i].name, name))
			return i + 1;
	return 0;
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/*
 * Return true for the body of an async function or block, by the names that Rust compilers have used.  Bodies that
 * belong to a runtime or to the standard library are excluded.
 */
static bool is_async_body(const char *name)
{
	static const char *const runtimes[] = { "tokio::", "std::", "core::", "alloc::", "futures_",
		"async_std::", "smol::", "<" };

	if (!strstr(name, "{{closure}}") && !strstr(name, "{closure") && !strstr(name, "{async_") &&
		!strstr(name, "{generator") && !strstr(name, "{coroutine"))
		return false;
	for (size_t i = 0; i < HD_COUNT(runtimes); i++)
		if (starts(name, runtimes[i]))
			return false;
	return true;
}

static unsigned runtime_flags(const char *name)
{
	if (strstr(name, "Context::run_task") || (starts(name, "tokio::runtime::") && strstr(name, "::block_on")))
		return IS_RUN_TASK;
	if (strstr(name, "Context::park") || strstr(name, "CachedParkThread::park"))
		return IS_PARK;
	return is_async_body(name) ? IS_FUTURE : 0;
}

static const char *frame_name(const struct hd_wait_reasons *r, hd_frame_id frame)
{
	return hd_profile_str(r->p, r->p->symbols[r->p->frames[frame.v].symbol].name);
}

/* ---- locations ---- */

/* Classify a location by its functions, including inlined ones: which row of `table` it matches, and its flags. */
static unsigned look(struct hd_wait_reasons *r, uint32_t location)
{
	const struct hd_location *loc = hd_locator_get(r->l, location);
	const hd_frame_id *inlined = hd_locator_inlined(r->l, loc);
	const struct hd_profile_symbol *s = &r->p->symbols[r->p->frames[loc->frame.v].symbol];
	unsigned flags = SEEN;

	if (s->unresolved)
		return flags;
	flags |= row_of(hd_profile_str(r->p, s->linkage ? s->linkage : s->name), loc->kernel) << REASON_SHIFT;
	if (loc->kernel)
		return flags;
	flags |= runtime_flags(frame_name(r, loc->frame));
	for (uint32_t i = 0; i < loc->ninlined; i++)
		flags |= runtime_flags(frame_name(r, inlined[i]));
	return flags;
}

static unsigned flags_of(struct hd_wait_reasons *r, uint32_t location)
{
	if (location >= r->n) {
		size_t n = r->n;

		HD_GROW(r->of, (size_t)location + 1, r->cap);
		r->n = r->cap;
		memset(r->of + n, 0, (r->n - n) * sizeof(*r->of));
	}
	if (!r->of[location])
		r->of[location] = (uint16_t)look(r, location);
	return r->of[location];
}

/* ---- stacks ---- */

const char *hd_wait_reasons_of(struct hd_wait_reasons *r, uint32_t leaf)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(r->c);

	for (unsigned d = 0; d < DEPTH && !hd_chain_is_root(&nodes[leaf]); d++, leaf = nodes[leaf].outer) {
		unsigned row = flags_of(r, nodes[leaf].location) >> REASON_SHIFT;

		if (row)
			return table[row - 1].reason;
	}
	return "other";
}

/* Return the name of the innermost body of an async function at a location; it may be inlined there. */
static const char *body_at(const struct hd_wait_reasons *r, uint32_t location)
{
	const struct hd_location *loc = hd_locator_get(r->l, location);
	const hd_frame_id *inlined = hd_locator_inlined(r->l, loc);

	for (uint32_t i = loc->ninlined; i-- > 0; )
		if (is_async_body(frame_name(r, inlined[i])))
			return frame_name(r, inlined[i]);
	return frame_name(r, loc->frame);
}

const char *hd_wait_reasons_future(struct hd_wait_reasons *r, uint32_t leaf)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(r->c);
	uint32_t body = 0;

	for (unsigned d = 0; d < DEPTH && !hd_chain_is_root(&nodes[leaf]); d++, leaf = nodes[leaf].outer) {
		unsigned flags = flags_of(r, nodes[leaf].location);

		if (flags & IS_PARK)
			return "[idle]";
		if (flags & IS_FUTURE && !body)
			body = nodes[leaf].location;
		if (flags & IS_RUN_TASK)
			return body ? body_at(r, body) : "[runtime]";
	}
	return NULL;
}
