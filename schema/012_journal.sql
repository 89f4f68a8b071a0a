-- 012_journal.sql - a chain for the rows that are not part of a run
--
-- Commands print acknowledgements, expectations, gates, descriptions of commits, tombstones and chains, which the hash
-- of no run covers.  Each change of such a row is an entry of the journal.  Entries are linked by hashes, as runs are;
-- see src/trust/journal.h.

ALTER TABLE chain ADD COLUMN kind TEXT NOT NULL DEFAULT 'runs';	-- 'runs'; or 'journal', which one chain has

CREATE TABLE journal (
	origin        TEXT NOT NULL REFERENCES chain (origin),
	seq           BIGINT NOT NULL,            -- 1, 2, 3, ... along the chain
	kind          TEXT NOT NULL,              -- acknowledgement, expectation, gate, commit, pruned, chain, schema
	name          TEXT NOT NULL,              -- with number: which row, or rows, of this kind
	number        BIGINT NOT NULL,
	content_hash  TEXT NOT NULL,              -- SHA-256 of the row as it is since this entry
	prev_hash     TEXT NOT NULL,              -- entry_hash of seq - 1, 64 zeros before the first
	entry_hash    TEXT NOT NULL,
	PRIMARY KEY (origin, seq)
);
CREATE INDEX journal_by_row ON journal (kind, number, name, seq);
CREATE INDEX drift_event_by_gate ON drift_event (gate_id);
