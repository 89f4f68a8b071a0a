/*
 * sql.c - a workload that runs SQLite statements for SECONDS
 *
 * usage: sql SECONDS.  It is linked with libsqlite3, or with the amalgamation if SQLITE_SRC contains it.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const steps[] = {
	"CREATE TABLE part(id INTEGER PRIMARY KEY, kind INTEGER, name TEXT, price REAL)",
	"CREATE TABLE sale(part INTEGER, day INTEGER, amount INTEGER, note TEXT)",
	"BEGIN",
	"WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 3000) INSERT INTO part SELECT i, (i "
	"* 37) % 23, printf('part-%05x-%d', i * 2654435761 % 1048576, i % 7), (i * 17 % 1000) / 8.0 FROM c",
	"WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 20000) "
	"INSERT INTO sale SELECT (i * 7919) % 3000 + 1, i % 365, (i * 31) % 50, substr(hex(i * 48271), 2, 6) FROM c",
	"COMMIT",
	"CREATE INDEX sale_part ON sale(part, day)",
	"CREATE INDEX part_name ON part(name COLLATE NOCASE)",
	"SELECT kind, count(*), sum(amount * price), max(name) FROM part JOIN sale ON part.id = sale.part GROUP BY "
	"kind ORDER BY 3 DESC",
	"SELECT name FROM part WHERE name LIKE '%a3%' OR name GLOB '*-?f*[0-3]' ORDER BY name COLLATE NOCASE",
	"SELECT day, avg(amount) OVER (ORDER BY day ROWS BETWEEN 7 PRECEDING AND CURRENT ROW) FROM (SELECT day, "
	"sum(amount) AS amount FROM sale GROUP BY day)",
	"SELECT count(*) FROM part AS p WHERE (SELECT sum(amount) FROM sale WHERE sale.part = p.id) > 150",
	"SELECT DISTINCT substr(note, 1, 3) AS s FROM sale EXCEPT SELECT substr(name, 6, 3) FROM part ORDER BY s",
	"SELECT group_concat(upper(note), ':') FROM sale WHERE part IN (SELECT id FROM part WHERE kind = 5) GROUP BY "
	"day % 30",
	"WITH RECURSIVE walk(id, depth) AS (VALUES(1, 0) UNION SELECT (id * 7 + depth) % 3000 + 1, depth + 1 FROM walk "
	"WHERE depth < 4000) SELECT max(price) FROM walk JOIN part USING(id)",
	"SELECT json_extract(json_group_array(json_object('name', name, 'price', price)), '$[17].name') FROM part",
	"UPDATE sale SET amount = amount + 1, note = note || '!' WHERE day % 9 = 0",
	"DELETE FROM sale WHERE part % 11 = 0",
	"PRAGMA integrity_check",
	"DROP TABLE sale",
	"DROP TABLE part",
};

static int each_row(void *sum, int n, char **text, char **names)
{
	(void)names;
	for (int i = 0; i < n; i++)
		*(unsigned *)sum += text[i] ? (unsigned char)text[i][0] : 0;
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	unsigned rounds = 0, sum = 0;
	char *error = NULL;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return 1;
	do {
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			if (sqlite3_exec(db, steps[i], each_row, &sum, &error) != SQLITE_OK) {
				fprintf(stderr, "sql: %s\n", error);
				return 1;
			}
		rounds++;
	} while (clock() < end);
	sqlite3_close(db);
	printf("%u rounds, sum %u\n", rounds, sum);
	return 0;
}
