/*
 * datasrc.h - convert the data source and the transaction of a sample to text
 *
 * A memory sample's data source is a word of bit fields (linux/perf_event.h, union
 * perf_mem_data_src).  hd_datasrc_text() appends one part of it as perf 6.12 prints it, without perf's
 * trailing blanks.  Two facts that perf 6.12 drops are kept: a remote location of unknown level, and
 * a hit or miss at an unknown level.
 *
 *     mem      "L1 hit", "L3 or Local RAM miss", "Remote core, same node", "N/A"
 *     op       "LOAD", "STORE", "PFETCH", "EXEC", "No", "N/A"
 *     snoop    "None", "Hit or HitM", "N/A"     tlb      "L1 or L2 hit", "Walker miss"
 *     locked   "Yes", "No", "N/A"               blocked  "Data", "Addr", "Data Addr", "N/A"
 *
 *     transaction   "TX SYNC :ab"               empty if there was none
 */
#ifndef HD_PERFDATA_DATASRC_H
#define HD_PERFDATA_DATASRC_H

#include "base/buf.h"

enum hd_datasrc {
	HD_DATASRC_MEM,
	HD_DATASRC_OP,
	HD_DATASRC_SNOOP,
	HD_DATASRC_TLB,
	HD_DATASRC_LOCKED,
	HD_DATASRC_BLOCKED
};

void hd_datasrc_text(enum hd_datasrc part, uint64_t source, struct hd_buf *out);
void hd_transaction_text(uint64_t transaction, struct hd_buf *out);

#endif
