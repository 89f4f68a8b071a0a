/*
 * partitions.h - the partitions of the large tables of a server
 *
 * On a PostgreSQL server, the rows of hotspot, event, series, series_summary and benchmark_cover are divided into
 * partitions by run.id (schema/pg/019_partitions.sql).  Partition N of each of these tables has the runs from
 * N * HD_PARTITION_RUNS to (N + 1) * HD_PARTITION_RUNS - 1; the first partition also has all runs with smaller ids.  An
 * SQLite file and CockroachDB have no partitions: the functions then do nothing, except hd_partitions_delete_run(), and
 * hd_partition_drop() fails.
 */
#ifndef HD_DB_PARTITIONS_H
#define HD_DB_PARTITIONS_H

#include "db/db.h"

/* number of ids of runs in a partition */
#define HD_PARTITION_RUNS INT64_C(1048576)
/* the names of the divided tables, for IN of a query */
#define HD_PARTITIONED_TABLES "('event', 'hotspot', 'series', 'series_summary', 'benchmark_cover')"

/* Return true if a statement of the last transaction failed because there is no partition for a row. */
bool hd_partition_is_missing(const struct hd_db *db);
/*
 * Make the partition of each table for the run with this id, unless they are there.  Called in a transaction of
 * hd_db_begin(), or outside of any.
 */
int hd_partition_make(struct hd_db *db, int64_t run, struct hd_err *err);
/*
 * Called after the run with this id was committed.  If the run is in the second half of its partition, and its id is a
 * multiple of 1024, make the next partition of each table, so that no writer has to wait for it later.  This delays
 * other writers for 200 ms at most.  Failures are ignored, because a later run tries again.
 */
void hd_partition_make_next(struct hd_db *db, int64_t run);

/* Partition `number` of all tables.  The first partition has no lower bound: begin is then INT64_MIN. */
struct hd_partition {
	int64_t number, begin, end;	/* run.id: begin <= id < end */
	int64_t runs;			/* how many runs are stored in it */
};
struct hd_partitions {
	struct hd_partition *items;	/* in the order of their numbers */
	size_t n, cap;
};
/*
 * List the partitions that get no new run, because the ids of new runs are above their upper bounds.  Partitions whose
 * tables are on other servers are not listed.  Must be called in a transaction of hd_db_begin().  The list must be
 * released in any case.
 */
int hd_partitions_old(struct hd_partitions *list, struct hd_db *db, struct hd_err *err);
void hd_partitions_release(struct hd_partitions *list);
/*
 * Drop the partition with this number of each table.  Returns 1; 0 if they cannot be dropped now, because other
 * transactions are open or the tables belong to another role; < 0 on error.
 */
int hd_partition_drop(struct hd_db *db, int64_t number, struct hd_err *err);
/* Delete the rows that a run has in these five tables, in a database of any kind. */
int hd_partitions_delete_run(struct hd_db *db, int64_t run, struct hd_err *err);
/*
 * Delete the rows in partitions on other servers (postgres_fdw) that belong to no run.  Such rows remain if this server
 * fails after the COMMIT there and before its own COMMIT.  Must be called in a transaction of hd_db_begin().
 */
int hd_partitions_delete_stray(struct hd_db *db, struct hd_err *err);

/* Check that the partitions are those that hotdrift makes.  Returns HD_ENO with the first difference. */
int hd_partitions_check(struct hd_db *db, struct hd_err *err);

#endif
