# kernels are gated like symbols; forty launches are enough, because each duration was measured and not sampled
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
# capture RUN GEMM_US: 40 launches of each of five kernels.  gemm takes GEMM_US, the others 50 us.  Run 1 is 1 % faster,
# and run 3 is 1 % slower.
capture() {
	awk -v run="$1" -v gemm="$2" 'BEGIN {
		split("softmax layernorm gelu embed gemm", name)
		printf "{\"traceEvents\":["
		for (i = 0; i < 200; i++) {
			us = (i % 5 == 4 ? gemm : 50) * (1 + (run - 2) / 100)
			printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7," \
				"\"ts\":%d,\"dur\":%.3f," \
				"\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}\n", i ? "," : "",
				  name[i % 5 + 1], 1000 * i + 1, us, i + 1
		}
		print "]}"
	}'
}
captures() {	# GEMM_US
	for run in 1 2 3; do
		capture "$run" "$1" >gpu.json
		hotdrift add gpu.json --db h.db --target t --recorded "2026-11-20T10:0$run:00Z" >/dev/null 2>&1
	done
}
commit before
captures 100
commit same
captures 100
status hotdrift gate --db h.db --base before --no-record
hotdrift query --db h.db --csv 'SELECT DISTINCT mode FROM run'
commit slow
captures 150
status hotdrift gate --db h.db --base before --no-record
