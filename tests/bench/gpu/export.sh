#!/bin/sh
# export.sh LAUNCHES FILE - write an export of Nsight Systems (schema 3.25) with LAUNCHES kernel launches
#
# Each launch is a row of the kernel table, with all columns that the exporter writes, and one of the API table; one in
# eight has a copy as well, one in four a second API call, and one in four an NVTX range whose text has its number.
# There are 40 kernels, 2 devices, 8 streams and 64 launch stacks of 12 frames.  Kernels start 20 to 120 µs after their
# launch.
set -eu
n=$1
rm -f "$2"
sqlite3 "$2" <<END
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');
CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER);
INSERT INTO ANALYSIS_DETAILS VALUES (1, ($n + 1000) * 10000, 0, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
	globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
	launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER, gridY INTEGER,
	gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER,
	dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId INTEGER,
	sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER,
	qmdBulkReleaseDone INTEGER, qmdPreexitDone INTEGER, qmdLastCtaDone INTEGER, graphId INTEGER, clusterX INTEGER,
	clusterY INTEGER, clusterZ INTEGER, clusterSchedulingPolicy INTEGER, maxPotentialClusterSize INTEGER,
	maxActiveClusters INTEGER, sharedMemoryRequestedPercentage INTEGER, tensorSizeMinusOneElements TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
	globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER,
	srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER,
	dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
	globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
	callchainId INTEGER);
CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL,
	unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
	category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
	domainId INTEGER);
BEGIN;
WITH RECURSIVE i(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM i WHERE k < 39)
INSERT INTO StringIds SELECT 100 + k, 'kernel_' || k FROM i
	UNION ALL SELECT 200 + k, 'void ns::kernel_' || k || '<float, 128>(float*, int)' FROM i
	UNION ALL SELECT 300 + k, '_ZN2ns8kernel_' || k || 'IfLi128EEvPfi' FROM i;
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'),
	(3, 'cudaEventRecord_v3020'), (4, '/app/libmodel.so');
WITH RECURSIVE i(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM i WHERE k < 99)
INSERT INTO StringIds SELECT 400 + k, 'function_' || k FROM i;
WITH RECURSIVE i(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM i WHERE k < 64 * 12 - 1)
INSERT INTO CUDA_CALLCHAINS SELECT 1 + k / 12,
	400 + CASE WHEN k % 12 > 5 THEN k % 12 ELSE (k / 12 * 7 + k % 12 * 13) % 100 END, 4, 0, 4096 + k, k % 12
	FROM i;
WITH RECURSIVE i(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM i WHERE k < $n - 1)
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000000000 + k * 10000 + 20000 + (k * 7919 % 10) * 100,
	1000000000 + k * 10000 + 29000 + (k * 104729 % 70) * 100, k % 2, 1, 0, 7 + k % 8, k + 1, 281477392629760,
	200 + k % 40, 100 + k % 40, 300 + k % 40, 1, 1, 32, 93600, 1, 1, 128, 1, 1, 0, 0, 0, 250871808, 161656 + k,
	32768, NULL, 0, NULL, NULL, NULL, NULL, 1, 0, 0, NULL, NULL, NULL, NULL, '[]' FROM i;
WITH RECURSIVE i(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM i WHERE k < $n - 1)
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000000000 + k * 10000, 1000000000 + k * 10000 + 5000, 0,
	281477392629904, k + 1, 1, 0, 1 + k % 64 FROM i
	UNION ALL SELECT 1000000000 + k * 10000 + 6000, 1000000000 + k * 10000 + 7000, 0, 281477392629904,
	k + 1 + 1000000000, 3, 0, NULL FROM i WHERE k % 4 = 0
	UNION ALL SELECT 1000000000 + k * 10000 + 7000, 1000000000 + k * 10000 + 9000, 0, 281477392629904,
	k + 1 + 2000000000, 2, 0, NULL FROM i WHERE k % 8 = 0 ORDER BY 1;
WITH RECURSIVE i(k) AS (SELECT 0 UNION ALL SELECT k + 8 FROM i WHERE k < $n - 9)
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 1000000000 + k * 10000 + 30000, 1000000000 + k * 10000 + 40000,
	k / 8 % 2, 1, 0, 7, k + 1 + 2000000000, 281477392629760, 95846400, 1 + k / 8 % 2, NULL, k / 16 % 2, 2, NULL,
	NULL, NULL, NULL, NULL, NULL, NULL, 1 FROM i;
WITH RECURSIVE i(k) AS (SELECT 0 UNION ALL SELECT k + 4 FROM i WHERE k < $n - 5)
INSERT INTO NVTX_EVENTS SELECT 1000000000 + k * 10000 - 500, 1000000000 + k * 10000 + 8000, 59, NULL, NULL, NULL,
	'aten::op_' || (k % 50) || ', op_id = ' || k, 281477392629904, NULL, NULL, 0 FROM i;
COMMIT;
END
