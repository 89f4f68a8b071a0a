# a trace of the PyTorch profiler is read: kernels with the operators that launched them, copies, the device
cat > trace.json <<'END'
{
  "schemaVersion": 1,
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "deviceProperties": [
    {"id": 0, "name": "Fast GPU", "totalGlobalMem": 1073741824},
    {"id": 1, "name": "Fast GPU", "totalGlobalMem": 1073741824}
  ],
  "traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#17", "pid": 33, "tid": 44, "ts": 1000.000, "dur": 900.000,
   "args": {}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 33, "tid": 44, "ts": 1010.000, "dur": 60.000, "args": {}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 33, "tid": 44, "ts": 1020.000, "dur": 40.000, "args": {}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 33, "tid": 44, "ts": 1030.000, "dur": 5.000,
   "args": {"cbid": 211, "correlation": 101}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 33, "tid": 44, "ts": 1100.000, "dur": 5.000,
   "args": {"correlation": 102}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 33, "tid": 44, "ts": 1120.000,
   "dur": 80.000, "args": {"correlation": 103}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1050.500, "dur": 49.500,
   "args": {"device": 0, "context": 1, "stream": 7, "correlation": 101}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0, "tid": 7, "ts": 1110.000,
   "dur": 90.000, "args": {"device": 0, "stream": 7, "correlation": 102, "bytes": 900000,
   "memory bandwidth (GB/s)": inf}},
  {"ph": "M", "name": "process_name", "pid": 33, "tid": 0, "ts": 1000.000, "args": {"name": "python3"}}
  ],
  "traceName": "trace.json",
  "baseTimeNanoseconds": 1700000000000000000
}
END
hotdrift info trace.json
hotdrift fold trace.json
hotdrift fold trace.json --event gpu-copies
# the gzipped trace gives the same output
gzip -c trace.json > trace.json.gz
hotdrift fold trace.json.gz --event gpu-sync
