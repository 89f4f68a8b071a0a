// scope.cpp - test that HD_SCOPE of hotdrift.h ends an operation when the block is left, also by an exception
#include <hotdrift.h>

#include <cstdio>
#include <cstring>

static void leave_by_exception()
{
	HD_SCOPE("thrown");
	throw 1;
}

int main()
{
	hd_op ops[2];
	double elapsed_ms = -1;

	{
		hotdrift::scope scope("block");
	}
	try {
		leave_by_exception();
	} catch (int) {
	}
	HD_TIME_CALL(HD_GLOBAL, "block", elapsed_ms, hd_now_ns());
	if (hd_ops(HD_GLOBAL, HD_OPS_BY_CALLS, ops, 2) != 2 || elapsed_ms < 0)
		return 1;
	for (const hd_op &op : ops)
		std::printf("%s %llu %llu\n", op.name, (unsigned long long)op.count, (unsigned long long)op.open);
	return 0;
}
