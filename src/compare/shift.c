#include "compare/judge_inner.h"
int hd_judge_shifts(struct hd_judging *j, const struct hd_runs *in, const struct hd_model *model, const struct hd_verdict_opts *vo,
		    struct hd_judged *judged, struct hd_err *err)
{
	return 0;
}
