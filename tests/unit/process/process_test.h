/*
 * process_test.h - make an empty process table for the tests of process/
 */
#ifndef HD_TESTS_UNIT_PROCESS_PROCESS_TEST_H
#define HD_TESTS_UNIT_PROCESS_PROCESS_TEST_H

#include "process/process_table.h"
#include "test.h"

struct world {
	struct hd_log log;
	struct hd_strtab *names;
	struct hd_process_table *proc;
	uint64_t seq;
};

static void begin(struct world *w)
{
	*w = (struct world){ .names = hd_strtab_new() };
	w->proc = hd_process_table_new(w->names, &w->log);
}

static void end(struct world *w)
{
	hd_process_table_free(w->proc);
	hd_strtab_free(w->names);
	hd_log_release(&w->log);
}

#endif
