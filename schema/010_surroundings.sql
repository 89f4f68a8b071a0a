-- 010_surroundings.sql - the circumstances of a recording other than its configuration
--
-- Two runs of one build differ if an environment variable that the program reads differs, if the stacks were recorded
-- in another way, or if the machine was busy.  Unknown values are NULL, as in runs that were added before.

-- The variables of the recorded program, one a line, sorted by name.  Equal sets share a row.
--     +NAME=VALUE     hotdrift.ini names it for the target (key env), or `add --env` did: runs that differ in it are not compared
--     -NAME           the same, and it was not set
--      NAME           it was set; its value is not stored
CREATE TABLE environment (
	id            BIGINT PRIMARY KEY,
	sha256        TEXT NOT NULL UNIQUE,       -- of variables
	variables     TEXT NOT NULL
);

ALTER TABLE run ADD COLUMN environment_id BIGINT REFERENCES environment (id);
ALTER TABLE run ADD COLUMN compiler TEXT;		-- DW_AT_producer of the program that cost most, in its visible form
ALTER TABLE run ADD COLUMN load_average DOUBLE PRECISION;	-- of one minute, when the recording began or the run was added

ALTER TABLE event ADD COLUMN call_graph TEXT;		-- how stacks were recorded: none | fp | dwarf | lbr
ALTER TABLE event ADD COLUMN stack_bytes BIGINT;	-- of each copy of the stack; NULL where call_graph is not dwarf
