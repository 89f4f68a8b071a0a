-- 003_chain_heads.sql - the end of each chain, and what is left of a run that was deleted
--
-- Without a stored head, a chain whose newest runs were deleted would look complete.

ALTER TABLE chain ADD COLUMN head_seq BIGINT;	-- of the newest run; NULL: none yet
ALTER TABLE chain ADD COLUMN head_hash TEXT;	-- its run_hash

UPDATE chain SET head_seq = (SELECT MAX(run.seq) FROM run WHERE run.origin = chain.origin);
UPDATE chain SET head_hash = (SELECT run.run_hash FROM run WHERE run.origin = chain.origin AND run.seq = chain.head_seq);

-- A run that was pruned.  Its place in the chain stays, so that the runs around it can be verified.
CREATE TABLE tombstone (
	origin        TEXT NOT NULL REFERENCES chain (origin),
	seq           BIGINT NOT NULL,
	run_id        TEXT NOT NULL,
	content_hash  TEXT NOT NULL,
	prev_hash     TEXT NOT NULL,
	run_hash      TEXT NOT NULL,
	reason        TEXT NOT NULL,              -- the rule, as it was given
	pruned_utc    TEXT NOT NULL,
	PRIMARY KEY (origin, seq)
);
