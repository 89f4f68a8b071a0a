-- 001_init.sql - the tables of the history
--
-- One dialect for SQLite and PostgreSQL.  A server first gets
--     CREATE DOMAIN blob AS bytea;
-- and then this file as it is.  The program assigns ids (no serial, no rowid),
-- flags are 0 or 1, times are UTC text 'YYYY-MM-DDTHH:MM:SSZ', which sorts by time.
--
-- Names are stored in their visible form V (src/base/encode.h): valid UTF-8 without
-- control characters.  If V differs from the bytes of the name, the _raw column after
-- it has the bytes, otherwise NULL.  An unknown value is NULL, never ''.
--
--     run --+-- commit_info, machine, config      what was run, where, with what
--           +-- event -- hotspot -- symbol        what it cost; one row per symbol table entry
--           |     +----- stack_blob      +- object
--           +-- artifact, dropped, run_warning    the files; samples that were not counted, and why
--           +-- series -- series_summary          latency, memory, power, gpu
--     expectation, acknowledgement, drift_event   what users declared, what was found

CREATE TABLE schema_version (
	version       BIGINT PRIMARY KEY,
	name          TEXT NOT NULL,              -- '001_init.sql'
	sha256        TEXT NOT NULL,              -- of the file as it was applied
	applied_utc   TEXT NOT NULL,
	hotdrift      TEXT NOT NULL               -- version of the program that applied it
);

-- Each database in which runs were first written has one hash chain; since 017_writers.sql, a server has one for each
-- machine that adds runs.  Imported chains keep their origin.
CREATE TABLE chain (
	origin        TEXT PRIMARY KEY,           -- 32 random hexadecimal digits
	is_local      BIGINT NOT NULL,            -- 1: this database appends to it; exactly one
	created_utc   TEXT NOT NULL
);

CREATE TABLE commit_info (
	id            BIGINT PRIMARY KEY,
	sha           TEXT NOT NULL UNIQUE,       -- as git gives it, 40 or 64 hexadecimal digits
	parents       TEXT,                       -- shas, separated by blanks; '' for a root commit
	committed_utc TEXT,
	subject       TEXT,
	subject_raw   BLOB
);

-- The state of a machine.  Runs on machines with equal fingerprints are comparable; see src/history/machine.h.
CREATE TABLE machine (
	id            BIGINT PRIMARY KEY,
	fingerprint   TEXT NOT NULL,              -- SHA-256 over arch .. smt
	key           TEXT NOT NULL UNIQUE,       -- SHA-256 over all columns below
	source        TEXT NOT NULL,              -- 'here': read from /proc; 'recording': what the file says
	arch          TEXT,
	cpu_model     TEXT,
	cpu_id        TEXT,                       -- 'GenuineIntel-6-85-7' or implementer and part
	cpu_flags     TEXT,                       -- SHA-256 of the sorted flags
	cpus_online   BIGINT,
	smt           TEXT,                       -- 'on', 'off'
	memory_bytes  BIGINT,
	kernel        TEXT,                       -- release
	microcode     TEXT,
	governor      TEXT,
	hostname      TEXT
);

CREATE TABLE config (
	id            BIGINT PRIMARY KEY,
	sha256        TEXT NOT NULL UNIQUE,       -- of canonical
	form          TEXT NOT NULL,              -- 'struct' or 'jcs'; see src/store/canonical.h
	canonical     TEXT NOT NULL               -- JSON; not V: its bytes are what is hashed
);

-- Compressed texts, each stored once: folded stacks of an event, the CSV of a series.
CREATE TABLE stack_blob (
	sha256        TEXT PRIMARY KEY,           -- of the text
	bytes         BIGINT NOT NULL,            -- of the text
	zstd          BLOB NOT NULL
);

-- One recording of one workload at one commit under one configuration.
CREATE TABLE run (
	id            BIGINT PRIMARY KEY,
	run_id        TEXT NOT NULL UNIQUE,       -- 20261120T140102Z-ab12cd3-5e6f7a8b; see src/store/run.h
	recorded_utc  TEXT NOT NULL,
	added_utc     TEXT NOT NULL,
	target        TEXT NOT NULL,              -- what was profiled, as the user calls it
	target_raw    BLOB,
	mode          TEXT NOT NULL,              -- cpu, memory, gpu, async, syscall, ...
	status        TEXT NOT NULL,              -- ok | failed | fixture; only ok can be a baseline
	command       TEXT,                       -- of the workload, as one line
	command_raw   BLOB,
	exit_status   BIGINT,                     -- of the workload
	session       TEXT,                       -- runs of one job share it
	session_raw   BLOB,
	boot_id       TEXT,                       -- of the kernel that ran when the run was added
	inline_mode   TEXT NOT NULL,              -- what self and total mean: 'no-inline' or 'inline'
	commit_id     BIGINT REFERENCES commit_info (id),
	dirty         BIGINT,                     -- 1: tracked files differed from the commit
	branch        TEXT,
	branch_raw    BLOB,
	machine_id    BIGINT REFERENCES machine (id),
	config_id     BIGINT REFERENCES config (id),
	samples_read  BIGINT NOT NULL,            -- = samples_kept + sum of dropped.samples
	samples_kept  BIGINT NOT NULL,
	hotdrift      TEXT NOT NULL,              -- version of the program that added it
	origin        TEXT NOT NULL REFERENCES chain (origin),
	seq           BIGINT NOT NULL,            -- 1, 2, 3, ... along the chain
	content_hash  TEXT NOT NULL,              -- SHA-256 of everything this run says; see src/store/chain.h
	prev_hash     TEXT NOT NULL,              -- run_hash of seq - 1, 64 zeros before the first
	run_hash      TEXT NOT NULL UNIQUE,       -- SHA-256 of origin, seq, prev_hash and content_hash
	UNIQUE (origin, seq)
);
CREATE INDEX run_by_target ON run (target, recorded_utc);
CREATE INDEX run_by_commit ON run (commit_id);

CREATE TABLE artifact (
	run_id        BIGINT NOT NULL REFERENCES run (id),
	ordinal       BIGINT NOT NULL,            -- 0, 1, ...
	kind          TEXT NOT NULL,              -- 'recording', 'file'
	path          TEXT NOT NULL,              -- as given by the user
	path_raw      BLOB,
	bytes         BIGINT,
	sha256        TEXT,
	PRIMARY KEY (run_id, ordinal)
);
CREATE INDEX artifact_by_sum ON artifact (sha256);

-- Samples that were read but not counted.
CREATE TABLE dropped (
	run_id        BIGINT NOT NULL REFERENCES run (id),
	ordinal       BIGINT NOT NULL,            -- 0, 1, ...
	reason        TEXT NOT NULL,
	samples       BIGINT NOT NULL,
	PRIMARY KEY (run_id, ordinal)
);

-- Warnings of the reader; the codes of losses begin with 'lost.'.
CREATE TABLE run_warning (
	run_id        BIGINT NOT NULL REFERENCES run (id),
	ordinal       BIGINT NOT NULL,            -- 0, 1, ...
	code          TEXT NOT NULL,
	count         BIGINT NOT NULL,
	message       TEXT NOT NULL,              -- of the first
	message_raw   BLOB,
	PRIMARY KEY (run_id, ordinal)
);

CREATE TABLE event (
	run_id        BIGINT NOT NULL REFERENCES run (id),
	event         BIGINT NOT NULL,            -- 0, 1, ... in the order of the recording
	name          TEXT NOT NULL,              -- cycles:u
	name_raw      BLOB,
	unit          TEXT NOT NULL,              -- of weight, self and total: cycles, ns, bytes, events, ...
	unit_raw      BLOB,
	weight        BIGINT NOT NULL,            -- sum of all samples' weights
	samples       BIGINT NOT NULL,
	lost          BIGINT NOT NULL,            -- samples the kernel could not deliver
	stacks        TEXT REFERENCES stack_blob (sha256),	-- folded text
	PRIMARY KEY (run_id, event)
);

-- A file from which code was mapped.
CREATE TABLE object (
	id            BIGINT PRIMARY KEY,
	key           TEXT NOT NULL UNIQUE,       -- SHA-256 over path and build_id
	path          TEXT,                       -- as recorded; NULL: nothing was mapped there
	path_raw      BLOB,
	build_id      TEXT,
	kernel        BIGINT NOT NULL
);

-- The identity of a function through time: (object name or build-id, linkage name).
CREATE TABLE symbol (
	id            BIGINT PRIMARY KEY,
	key           TEXT NOT NULL UNIQUE,       -- SHA-256 over object and linkage
	object        TEXT,                       -- last part of the path, the build-id without one; NULL: none
	object_raw    BLOB,
	linkage       TEXT,                       -- as in the symbol table; NULL: addresses nobody names
	linkage_raw   BLOB,
	name          TEXT,                       -- demangled, without parameters
	name_raw      BLOB,
	normal        TEXT,                       -- name without compiler suffixes and hashes
	normal_raw    BLOB
);
CREATE INDEX symbol_by_name ON symbol (normal);

-- The cost of one symbol table entry.  Functions with one name in one object have separate rows, as in `top`.
CREATE TABLE hotspot (
	run_id        BIGINT NOT NULL,
	event         BIGINT NOT NULL,
	rank          BIGINT NOT NULL,            -- 1 is the costliest by self
	symbol_id     BIGINT NOT NULL REFERENCES symbol (id),
	object_id     BIGINT NOT NULL REFERENCES object (id),
	vaddr         TEXT,                       -- 0x%016x: start as linked, or the address nobody names
	self          BIGINT NOT NULL,            -- in event.unit, at the leaf
	total         BIGINT NOT NULL,            -- with callees, recursion counted once
	samples       BIGINT NOT NULL,            -- at the leaf
	inline_self   BIGINT,                     -- the same with inlined functions as frames of their own
	inline_total  BIGINT,
	PRIMARY KEY (run_id, event, rank),
	FOREIGN KEY (run_id, event) REFERENCES event (run_id, event)
);
CREATE INDEX hotspot_by_symbol ON hotspot (symbol_id, run_id);

CREATE TABLE series (
	run_id        BIGINT NOT NULL REFERENCES run (id),
	series        BIGINT NOT NULL,            -- 0, 1, ...
	kind          TEXT NOT NULL,              -- latency | memory | power | gpu
	name          TEXT NOT NULL,              -- the column: wall_ns, rss_bytes, power_uw, ...
	name_raw      BLOB,
	unit          TEXT NOT NULL,
	samples       BIGINT NOT NULL,            -- rows with a value
	csv           TEXT REFERENCES stack_blob (sha256),
	PRIMARY KEY (run_id, series)
);

CREATE TABLE series_summary (
	run_id        BIGINT NOT NULL,
	series        BIGINT NOT NULL,
	ordinal       BIGINT NOT NULL,            -- 0, 1, ...
	stat          TEXT NOT NULL,              -- n, mean, std, p50, p95, p99, min, max, outliers, joules, ...
	value         DOUBLE PRECISION NOT NULL,  -- in series.unit
	lo            DOUBLE PRECISION,           -- 95 % confidence interval
	hi            DOUBLE PRECISION,
	PRIMARY KEY (run_id, series, ordinal),
	FOREIGN KEY (run_id, series) REFERENCES series (run_id, series)
);

-- "parse_row stays below 10 % of the cycles of target serve"
CREATE TABLE expectation (
	id            BIGINT PRIMARY KEY,
	target        TEXT,                       -- NULL: every target
	event         TEXT,                       -- NULL: the first
	object        TEXT,                       -- NULL: any
	symbol        TEXT,                       -- normal or linkage name; NULL: the run as a whole
	measure       TEXT NOT NULL,              -- self_pct, total_pct, rank, p99, peak_rss, joules, ...
	at_least      DOUBLE PRECISION,
	at_most       DOUBLE PRECISION,
	reason        TEXT,
	author        TEXT,
	created_utc   TEXT NOT NULL,
	expires_utc   TEXT                        -- NULL: stays
);

-- "we know that decode got slower, until March"
CREATE TABLE acknowledgement (
	id            BIGINT PRIMARY KEY,
	target        TEXT,
	event         TEXT,
	object        TEXT,
	symbol        TEXT NOT NULL,
	level_pct     DOUBLE PRECISION NOT NULL,  -- self share accepted, in percent
	commit_sha    TEXT,                       -- the change it is about
	reason        TEXT NOT NULL,
	author        TEXT,
	created_utc   TEXT NOT NULL,
	expires_utc   TEXT
);

-- A finding of a comparison.
CREATE TABLE drift_event (
	id            BIGINT PRIMARY KEY,
	base_run      BIGINT NOT NULL REFERENCES run (id),
	head_run      BIGINT NOT NULL REFERENCES run (id),
	event         BIGINT NOT NULL,            -- of head_run
	symbol_id     BIGINT REFERENCES symbol (id),	-- NULL: the run as a whole
	kind          TEXT NOT NULL,              -- entered | left | order | cost | shift | score
	verdict       TEXT NOT NULL,              -- PASS | FAIL | SHIFT | INCONCLUSIVE | NOT_COMPARABLE
	base_pct      DOUBLE PRECISION,           -- self share, percent
	head_pct      DOUBLE PRECISION,
	change_pct    DOUBLE PRECISION,           -- relative
	ci_lo         DOUBLE PRECISION,
	ci_hi         DOUBLE PRECISION,
	q             DOUBLE PRECISION,           -- false-discovery rate
	found_utc     TEXT NOT NULL
);

-- ---- the public query surface ----

-- The costliest five of every event of every run.
CREATE VIEW v_top5 AS
SELECT r.run_id, r.recorded_utc, r.target, r.mode, r.status, c.sha AS commit_sha, r.dirty,
       e.event, e.name AS event_name, e.unit, h.rank, o.path AS object, s.linkage, s.name AS symbol, h.vaddr,
       h.self, CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS self_pct,
       h.total, CAST(h.total AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS total_pct, h.samples
  FROM hotspot h
  JOIN run r ON r.id = h.run_id
  JOIN event e ON e.run_id = h.run_id AND e.event = h.event
  JOIN symbol s ON s.id = h.symbol_id
  JOIN object o ON o.id = h.object_id
  LEFT JOIN commit_info c ON c.id = r.commit_id
 WHERE h.rank <= 5;

-- One symbol through time.  Entries with one name in one object are summed.  Their largest total is used, because they
-- may call each other.
CREATE VIEW v_symbol_history AS
SELECT s.object, s.linkage, s.name AS symbol, s.normal, r.target, r.mode, r.run_id, r.recorded_utc, r.status,
       c.sha AS commit_sha, r.dirty, m.fingerprint AS machine, f.sha256 AS config, r.inline_mode,
       e.event, e.name AS event_name, e.unit, g.rank, g.self,
       CAST(g.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS self_pct, g.total,
       CAST(g.total AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS total_pct, g.samples
  FROM (SELECT run_id, event, symbol_id, MIN(rank) AS rank, SUM(self) AS self, MAX(total) AS total, SUM(samples) AS samples
          FROM hotspot GROUP BY run_id, event, symbol_id) g
  JOIN symbol s ON s.id = g.symbol_id
  JOIN run r ON r.id = g.run_id
  JOIN event e ON e.run_id = g.run_id AND e.event = g.event
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN machine m ON m.id = r.machine_id
  LEFT JOIN config f ON f.id = r.config_id;

-- One line per run and event.
CREATE VIEW v_run_summary AS
SELECT r.run_id, r.recorded_utc, r.added_utc, r.target, r.mode, r.status, r.exit_status, c.sha AS commit_sha, r.dirty,
       r.branch, c.subject, f.sha256 AS config, m.fingerprint AS machine, m.cpu_model, m.kernel, r.inline_mode,
       e.event, e.name AS event_name, e.unit, e.weight, e.samples, e.lost, r.samples_read, r.samples_kept,
       (SELECT COUNT(*) FROM hotspot h WHERE h.run_id = r.id AND h.event = e.event) AS symbols,
       s.name AS top_symbol, o.path AS top_object, h1.vaddr AS top_vaddr,
       CAST(h1.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS top_pct, r.run_hash
  FROM run r
  LEFT JOIN event e ON e.run_id = r.id
  LEFT JOIN hotspot h1 ON h1.run_id = r.id AND h1.event = e.event AND h1.rank = 1
  LEFT JOIN symbol s ON s.id = h1.symbol_id
  LEFT JOIN object o ON o.id = h1.object_id
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN machine m ON m.id = r.machine_id
  LEFT JOIN config f ON f.id = r.config_id;
