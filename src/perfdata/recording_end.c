/*
 * recording_end.c - detect that the end of a recording is missing
 *
 * For example, if `perf record -z` is killed, the data in its compressor is lost.  A missing end has three signs:
 *
 *   - the zstd stream stops inside a block;
 *   - samples or switches follow the last FINISHED_ROUND, although earlier rounds ended with one.  A tool that sorts a
 *     recording by time moves all rounds to its start; such a recording is not reported.  The directory format is not
 *     checked for this sign;
 *   - the command that perf started has no EXIT.  A recording that was ended by a signal or by --max-size has none
 *     either, so only the caller can decide: see hd_perf_stats.command_exit.
 */
#include "perfdata/perf_state.h"

static uint64_t events_so_far(const struct hd_perf *pf)
{
	return pf->by_type[PERF_RECORD_SAMPLE] + pf->by_type[PERF_RECORD_SWITCH] +
		pf->by_type[PERF_RECORD_SWITCH_CPU_WIDE];
}

void hd_perf_note_round(struct hd_perf *pf)
{
	uint64_t now = events_so_far(pf);

	pf->stats.finished_rounds++;
	pf->round_has_events |= now > pf->events_at_round;
	pf->events_at_round = now;
}

/*
 * Find the pid of the command that perf started, if any.  Body of THREAD_MAP: u64 n, then n times u64 pid and char
 * comm[16].  If perf started a command, an attr has enable_on_exec, and the map has one thread.
 */
void hd_perf_note_threads(struct hd_perf *pf, const struct hd_record *rec)
{
	bool starts = false, tasks = false;

	for (size_t i = 0; i < pf->nattrs; i++) {
		starts |= pf->attrs[i].enable_on_exec;
		tasks |= pf->attrs[i].task;
	}
	if (!starts || !tasks || rec->size < 8 + 16 || hd_get64(rec->data, pf->file.swap) != 1 || pf->command)
		return;
	pf->command = (int32_t)hd_get64(rec->data + 8, pf->file.swap);
	if (pf->command > 0)
		pf->stats.command_exit = HD_EXIT_MISSING;
}

void hd_perf_note_exit(struct hd_perf *pf, const struct hd_record *rec)
{
	struct hd_fork_event e;
	struct hd_err bad;

	if (pf->stats.command_exit == HD_EXIT_MISSING && hd_perf_parse_fork(pf, rec, &e, &bad) >= 0 && e.exit &&
	    e.pid == pf->command && e.tid == pf->command)
		pf->stats.command_exit = HD_EXIT_RECORDED;
}

static void lose_tail(struct hd_perf *pf, const char *why)
{
	pf->stats.tail_lost = true;
	pf->file.truncated = true;
	hd_warn(pf->log, HD_LOST_TAIL, HD_LOST_TAIL_FIX(pf->file.compressed), "%s: its last records are missing: %s",
		pf->file.path, why);
}

void hd_perf_check_recording_end(struct hd_perf *pf)
{
	if (pf->cut_stream)
		lose_tail(pf, "the compressed data ends inside a block");
	else if (pf->nsources == 1 && pf->round_has_events && events_so_far(pf) > pf->events_at_round)
		lose_tail(pf, "earlier rounds end in a FINISHED_ROUND record, the last one does not");
}
