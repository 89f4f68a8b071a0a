/*
 * jit.c - make machine code at run time, without call frame information, that calls malloc
 *
 *     honest   has a frame pointer: the recorder must find its callers, even if these have none
 *     hostile  has another value in that register: the recorder must end the stack, and read no invalid memory
 */
#include "site.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
static const uint8_t honest_code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d,
	0xc3 }; /* push rbp; mov rbp, rsp; call *rsi; pop rbp; ret */
static const uint8_t hostile_code[] = { 0x55, 0x48, 0x89, 0xd5, 0xff, 0xd6, 0x5d, 0xc3 }; /* ... mov rbp, rdx ... */
#elif defined(__aarch64__)
static const uint32_t honest_code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0020, 0xa8c17bfd,
	0xd65f03c0 }; /* stp x29, x30, [sp, -16]!; mov x29, sp; blr x1; ldp ...; ret */
static const uint32_t hostile_code[] = { 0xa9bf7bfd, 0xaa0203fd, 0xd63f0020, 0xa8c17bfd,
	0xd65f03c0 }; /* ... mov x29, x2 ... */
#endif

typedef void *made(size_t n, void *(*callee)(size_t), const void *fp);
static made *honest, *hostile;

/* This compiled code keeps no frame pointer and may change the register. */
static NI void *through(size_t n)
{
	void *p = honest(n, malloc, NULL);

	__asm__ volatile("" : "+r"(p));
	return p;
}

static NI void *twice(size_t n)
{
	void *p = honest(n, through, NULL);

	__asm__ volatile("" : "+r"(p));
	return p;
}

SITE(of_made_code, honest(48, malloc, NULL))
SITE(of_made_code_twice, twice(70))

static NI void *lives_and_dies(void)
{
	for (int i = 0; i < 1000; i++)
		free(honest(100, malloc, NULL));
	return NULL;
}

static int lost;

static NI void is_lost(const void *fp)
{
	sink = hostile(33, malloc, fp);
	lost++;
}

/* Use invalid frame pointers: outside of the stack, unaligned, or valid addresses with an invalid frame. */
static NI void guesses(void)
{
	static uint64_t elsewhere[4];
	uint64_t here[8] = { 0 };
	char *at = (char *)here;

	for (int again = 0; again < 3; again++) {
		is_lost(NULL);
		is_lost((void *)1);
		is_lost((void *)8);
		is_lost((void *)-1l);
		is_lost((void *)-8l);
		is_lost((void *)-16l);
		is_lost((void *)INT64_MIN);
		is_lost(at + 1);
		is_lost(at + 4);
		is_lost(at - 100000);
		is_lost(at + (1l << 40));
		is_lost(elsewhere);
		is_lost(here);				/* the return address is 0 */
		here[1] = 12345;
		is_lost(here);
		here[1] = (uintptr_t)elsewhere;		/* the return address is not in code */
		is_lost(here);
		here[1] = (uintptr_t)here;
		is_lost(here);
		here[1] = 1ull << 63 | (uintptr_t)honest;
#ifdef __x86_64__
		is_lost(here);
#endif
		here[1] = 0;
	}
}

/* The frame has a valid return address, and itself as its caller's frame: the stack ends, after one wrong caller. */
static NI void lies(void)
{
	uint64_t here[4] = { (uintptr_t)here, (uintptr_t)honest + 1, 0, 0 };

	__asm__ volatile("" : : "r"(here) : "memory");
	sink = hostile(1, malloc, here);
}

/* Also use frame pointers at the very end of the thread's stack. */
static void *thread(void *arg)
{
	uintptr_t top = (uintptr_t)pthread_self();

	guesses();
	is_lost((void *)top);
	is_lost((void *)(top - 8));
	is_lost((void *)(top + 4096));
	of_made_code();
	return arg;
}

int main(void)
{
	pthread_attr_t small;
	pthread_t t;
	char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 3;
	memcpy(code, honest_code, sizeof(honest_code));
	memcpy(code + 4096, hostile_code, sizeof(hostile_code));
	__builtin___clear_cache(code, code + 8192);
	if (mprotect(code, 8192, PROT_READ | PROT_EXEC))
		return 3;
	honest = (made *)code;
	hostile = (made *)(code + 4096);
	of_made_code();
	of_made_code_twice();
	lives_and_dies();
	guesses();
	lies();
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	if (pthread_create(&t, &small, thread, NULL) || pthread_join(t, NULL))
		return 4;
	of_made_code();
	truth("leaked", "of_made_code", 3, 3 * 48);
	truth("leaked", "of_made_code_twice", 1, 70);
	truth("allocated", "of_made_code", 3, 3 * 48);
	truth("allocated", "lives_and_dies", 1000, 100000);
	truth("leaked", "lives_and_dies", 0, 0);
	printf("%d\n", lost);
	return 0;
}
