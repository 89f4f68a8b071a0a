/*
 * outcome.h - the words of a verdict; what they mean is in verdict.h
 */
#ifndef HD_STATS_OUTCOME_H
#define HD_STATS_OUTCOME_H

enum hd_verdict { HD_PASS, HD_INCONCLUSIVE, HD_FAIL, HD_SHIFT, HD_NOT_COMPARABLE };
const char *hd_verdict_name(enum hd_verdict v);

#endif
