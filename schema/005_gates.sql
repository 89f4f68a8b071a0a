-- 005_gates.sql - the verdict of each gate and the runs that it compared, and acknowledgements that were withdrawn
--
-- A run for which a gate reported FAIL is no baseline until the same comparison passes, or the failure is acknowledged.

CREATE TABLE gate_result (
	id            BIGINT PRIMARY KEY,
	found_utc     TEXT NOT NULL,
	command       TEXT NOT NULL,              -- gate | drift
	target        TEXT NOT NULL,
	mode          TEXT NOT NULL,
	event         TEXT NOT NULL,              -- its name; '' when only series were compared
	base_ref      TEXT NOT NULL,              -- the commit, or the runs' ids with commas between
	head_ref      TEXT NOT NULL,
	verdict       TEXT NOT NULL,              -- PASS | FAIL | INCONCLUSIVE | NOT_COMPARABLE
	reason        TEXT,                       -- of NOT_COMPARABLE and of a PASS that nothing was tested for
	look          BIGINT NOT NULL,            -- 1; 2 after an INCONCLUSIVE of fewer runs; ...
	level         DOUBLE PRECISION NOT NULL,  -- the q that a row fails at, at this look
	failed        BIGINT NOT NULL,            -- rows by verdict
	shifted       BIGINT NOT NULL,
	unsure        BIGINT NOT NULL,
	score         DOUBLE PRECISION,           -- 1 - RBO, with the limit of what chance does
	aa_limit      DOUBLE PRECISION,
	moved_pct     DOUBLE PRECISION,
	net_pct       DOUBLE PRECISION
);
CREATE INDEX gate_result_by_head ON gate_result (target, head_ref);

-- The runs that a gate compared.
CREATE TABLE gate_run (
	gate_id       BIGINT NOT NULL REFERENCES gate_result (id),
	run_id        BIGINT NOT NULL REFERENCES run (id),
	side          TEXT NOT NULL,              -- base | head | history | pin
	PRIMARY KEY (gate_id, run_id, side)
);
CREATE INDEX gate_run_by_run ON gate_run (run_id);

-- A finding of a gate has its gate_id.  change_pct is then that of the symbol, or of the series that `series` names.
ALTER TABLE drift_event ADD COLUMN gate_id BIGINT REFERENCES gate_result (id);
ALTER TABLE drift_event ADD COLUMN series TEXT;		-- 'p99 wall_time_us'; base_pct and head_pct are then in its unit

-- For a symbol level_pct is a self share; for a series ('p99 wall_time_us') it is a value in the series' unit.
ALTER TABLE acknowledgement ADD COLUMN withdrawn_utc TEXT;	-- NULL: not withdrawn, so valid until expires_utc
