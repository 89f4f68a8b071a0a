# a GPU capture converted to Chrome trace events reads back as the same capture
cat > trace.json <<'END'
{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Fast GPU", "totalGlobalMem": 1073741824}], "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1700000000000050.125, "dur": 20.5,
 "args": {"device": 0, "stream": 7, "correlation": 9}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 1700000000000020,
 "dur": 9, "args": {"device": 0, "stream": 7, "correlation": 8, "bytes": 4096}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 33, "tid": 44, "ts": 1700000000000010, "dur": 30, "args": {}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 33, "tid": 44, "ts": 1700000000000012, "dur": 2,
 "args": {"correlation": 8}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 33, "tid": 44, "ts": 1700000000000030, "dur": 2,
 "args": {"correlation": 9}}
]}
END
hotdrift convert trace.json --to chrome | tee chrome.json
hotdrift fold trace.json > a
hotdrift fold chrome.json > b
cat a
cmp a b
hotdrift convert chrome.json --to chrome | cmp - chrome.json
# --time selects a range in seconds of the capture's clock
hotdrift convert trace.json --to chrome --time 1700000000.000025,1700000000.00004 | grep -c '"ph": "X"'
# Perfetto's form is binary and contains each name once
hotdrift convert trace.json --to perfetto -o trace.pftrace
grep -a -o -e gemm -e aten::mm -e 'GPU 0: Fast GPU' -e 'stream 7' -e cudaLaunchKernel trace.pftrace
