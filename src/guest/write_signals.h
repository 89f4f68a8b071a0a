/*
 * write_signals.h - keep a write of a library from ending the program that it is loaded into
 *
 * A write beyond a limit of the file size (ulimit -f) sends SIGXFSZ to the calling thread, and one to a pipe without a
 * reader sends SIGPIPE.  Both end the program by default.  Between hd_write_signals_block() and
 * hd_write_signals_restore(), they are blocked, and the write fails with EFBIG or EPIPE only.  The restore discards
 * what the writes sent, and keeps a signal that was pending before.
 *
 * System calls are used instead of functions of the C library, because sigtimedwait() is a cancellation point, and a
 * program can replace such functions by its own.  Both functions may change errno.
 */
#ifndef HD_GUEST_WRITE_SIGNALS_H
#define HD_GUEST_WRITE_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HD_WRITE_SIGNALS_BYTES = _NSIG / 8 };	/* size of the kernel's set, with which a sigset_t begins */

struct hd_write_signals {
	sigset_t mask;		/* the thread's mask before */
	sigset_t sent;		/* the signals to discard */
};

static inline void hd_write_signals_block(struct hd_write_signals *s)
{
	sigset_t pending;

	sigemptyset(&pending);
	sigemptyset(&s->sent);
	sigaddset(&s->sent, SIGXFSZ);
	sigaddset(&s->sent, SIGPIPE);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &s->sent, &s->mask, HD_WRITE_SIGNALS_BYTES);
	syscall(SYS_rt_sigpending, &pending, HD_WRITE_SIGNALS_BYTES);
	if (sigismember(&pending, SIGXFSZ))
		sigdelset(&s->sent, SIGXFSZ);
	if (sigismember(&pending, SIGPIPE))
		sigdelset(&s->sent, SIGPIPE);
}

static inline void hd_write_signals_restore(const struct hd_write_signals *s)
{
	const struct timespec none = { 0, 0 };

	while (syscall(SYS_rt_sigtimedwait, &s->sent, NULL, &none, HD_WRITE_SIGNALS_BYTES) > 0)
		;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &s->mask, NULL, HD_WRITE_SIGNALS_BYTES);
}

#endif
