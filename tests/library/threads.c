/*
 * threads.c - eight threads use every part of one profiler while another thread reads it and resets it
 *
 * The test runs it under ThreadSanitizer, which reports data races on standard error and by exit status 66.
 */
#include <hotdrift.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 2000 };

static void *use(void *arg)
{
	static const char *const names[] = { "parse", "validate", "store", "parse" };
	struct hd_latency sample = { 1, 2, 3, 4 };
	struct hd_event_arg event = { "round", NULL, 0 };
	hd_span_id span;

	for (int i = 0; i < ROUNDS; i++) {
		HD_SCOPE(names[i % 4]);
		hd_op_start(HD_GLOBAL, "inner");
		event.number = i;
		hd_event(HD_GLOBAL, HD_EVENT_CUSTOM, "round", &event, 1);
		hd_record_alloc(HD_GLOBAL, names[i % 3], (char *)arg + i % 64, (uint64_t)i);
		hd_op_stop_work(HD_GLOBAL, "inner", 1, 1);
		hd_record_free(HD_GLOBAL, (char *)arg + (i + 32) % 64);
		hd_span_begin(HD_GLOBAL, "task", 0, &span);
		hd_span_enter(HD_GLOBAL, span);
		hd_span_leave(HD_GLOBAL, span);
		hd_span_wake(HD_GLOBAL, span, 0);
		hd_span_end(HD_GLOBAL, span);
		hd_latency_add(HD_GLOBAL, &sample);
		if (i % 100 == 0)
			hd_memory_snap(HD_GLOBAL, 1, 2, 3, NULL);
	}
	return NULL;
}

int main(void)
{
	static char blocks[THREADS][64];
	struct hd_op ops[8];
	struct hd_alloc allocs[8];
	struct hd_span_total spans[2];
	struct hd_duration durations[8];
	pthread_t t[THREADS];

	hd_power_use_constant(HD_GLOBAL, 5);
	hd_power_start(HD_GLOBAL, 1000);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, use, blocks[i]);
	for (int i = 0; i < 50; i++) {
		hd_ops(HD_GLOBAL, HD_OPS_BY_TIME, ops, 8);
		hd_ops_unbalanced(HD_GLOBAL);
		hd_allocs(HD_GLOBAL, allocs, 8);
		hd_span_totals(HD_GLOBAL, spans, 2);
		hd_timeline_durations(HD_GLOBAL, durations, 8);
		if (i == 25)
			hd_profiler_reset(HD_GLOBAL);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	hd_power_stop(HD_GLOBAL);
	use(blocks[0]);		/* the reset may have come after the threads ended */
	printf("%d names\n", (int)hd_ops(HD_GLOBAL, HD_OPS_BY_CALLS, ops, 8));
	return 0;
}
