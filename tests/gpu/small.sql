-- small.sql - make an export like those of Nsight Systems, whose totals can be computed by hand
--
--     sqlite3 small.sqlite <small.sql
--
-- One process (pid 100, tid 101), two devices, times in ns.  Device 0:
--
--     1000  3000  gemm          launched at 500 from main;train;gemm_host
--     2000  4000  copy HtoD     4000 bytes from pageable memory, overlaps gemm by 1000
--     6000  7000  ncclDevKernel_AllReduce    launched at 5000 from main;train;reduce_host
--     7000  7500  memset        launched at 5600
--     9000 10000  gemm          of an unknown launch (correlation 99)
--     9500  9800  copy DtoD     600 bytes, while gemm runs, launched at 8000
--
-- From 1000 to 10000 it therefore computes for 4000, copies and sets memory for 2000 + 500 + 300 = 2800, does both at
-- once for 1300, and is idle for 3500 (4000..6000 and 7500..9000).  Device 1 runs one kernel, from
-- 20000 to 20100, launched at 19000.
BEGIN;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'void gemm<float, 128>(float*, int)'), (3, '_Z4gemmIfLi128EEvPfi'),
	(4, 'ncclDevKernel_AllReduce'), (5, 'ncclDevKernel_AllReduce(ncclDevKernelArgsStorage<4096ul>)'),
	(6, 'cudaLaunchKernel_v7000'), (7, 'cudaMemcpyAsync_v3020'), (8, 'cudaMemsetAsync_v3020'),
	(9, 'cudaStreamSynchronize_v3020'),
	(10, 'main'), (11, 'train'), (12, 'gemm_host'), (13, 'reduce_host'), (14, '/app/train'),
	(15, '/app/libgemm.so'),
	(16, 'cuMemAlloc_v2'), (17, 'epoch');
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'),
	('EXPORT_SCHEMA_VERSION', '3.25.0');
CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER);
INSERT INTO ANALYSIS_DETAILS VALUES (1, 30000, 5, 30005);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '', '');
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, memoryBandwidth INTEGER, cuDevice INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU A', 1000000, 900000000, 0), (1, 'GPU B', 2000000, 900000000, 1);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES (100 << 24, 100, '/app/train');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
	contextId INTEGER,
	streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,
	mangledName INTEGER,
	graphNodeId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 0, 1, 7, 1, 100 << 24, 2, 1, 3, NULL),
	(6000, 7000, 0, 1, 8, 3, 100 << 24, 5, 4, 5, NULL),
	(9000, 10000, 0, 1, 7, 99, 100 << 24, 2, 1, 3, NULL), (20000, 20100, 1, 1, 7, 6, 100 << 24, 2, 1, 3, NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
	contextId INTEGER, streamId INTEGER,
	correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2000, 4000, 0, 1, 7, 2, 100 << 24, 4000, 1, 0, 2),
	(9500, 9800, 0, 1, 7, 5, 100 << 24, 600, 8, 2, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
	contextId INTEGER, streamId INTEGER,
	correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER, memKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (7000, 7500, 0, 1, 7, 4, 100 << 24, 0, 64, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
	contextId INTEGER,
	streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (7600, 8100, 0, 1, 7, 7, 100 << 24, 3);
-- As in real exports, the rows of this table are not sorted by time.
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER,
	globalTid INTEGER,
	correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (500, 700, 0, (100 << 24) + 101, 1, 6, 0, 1),
	(1500, 1900, 0, (100 << 24) + 101, 2, 7, 0, NULL),
	(5600, 5700, 0, (100 << 24) + 101, 4, 8, 0, NULL), (5000, 5500, 0, (100 << 24) + 101, 3, 6, 0, 2),
	(7600, 8100, 0, (100 << 24) + 101, 7, 9, 0, NULL), (8000, 8050, 0, (100 << 24) + 101, 5, 7, 0, NULL),
	(19000, 19500, 0, (100 << 24) + 101, 6, 6, 0, 1);
CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, unresolved INTEGER,
	originalIP INTEGER,
	stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
INSERT INTO CUDA_CALLCHAINS VALUES (1, 12, 15, 0, 4096, 0), (1, 11, 14, 0, 8192, 1), (1, 10, 14, 0, 8208, 2),
	(2, 13, 15, 0, 4128, 0), (2, 11, 14, 0, 8192, 1), (2, 10, 14, 0, 8208, 2);
-- At most 3000 bytes are live: 1000 + 2000, then 1000 are freed.  Address 77 was allocated before the capture.
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER, deviceId INTEGER,
	contextId INTEGER, address INTEGER,
	pc INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, name TEXT);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (100, 100 << 24, 0, 1, 4096, 0, 1000, 2, 0, NULL),
	(200, 100 << 24, 0, 1, 8192, 0, 2000, 2, 0, NULL),
	(300, 100 << 24, 0, 1, 77, 0, 500, 2, 1, NULL), (400, 100 << 24, 0, 1, 4096, 0, 1000, 2, 1, NULL),
	(450, 100 << 24, 0, 1, 12288, 0, 700, 1, 0, NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER,
	textId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (0, 30000, 60, NULL, (100 << 24) + 101, 17),
	(4000, 5900, 59, 'step, op_id = 17', (100 << 24) + 101, NULL),
	(4100, NULL, 34, 'mark', (100 << 24) + 101, NULL);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 3, 'SMs Active [Throughput %]');
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
INSERT INTO GPU_METRICS VALUES (1000, 256, 3, 40), (2000, 256, 3, 80);
COMMIT;
