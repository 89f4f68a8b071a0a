-- 017_writers.sql - many writers of one server at the same time
--
-- On a server, each machine that adds runs has a chain of its own, so that machines do not wait for each other
-- (src/trust/chain.h).  Ids come from sequences there, because several transactions need new ids at the same time.
-- All foreign keys have an index there, except those of hotspot (tests/run-pg.sh).

-- NULL: a chain of an SQLite file, a chain that was created before this version, or a merged one
ALTER TABLE chain ADD COLUMN writer TEXT;	-- the machine that appends to it: its host name, or $HOTDRIFT_ORIGIN

/*PostgreSQL
CREATE SEQUENCE commit_info_ids;
CREATE SEQUENCE machine_ids;
CREATE SEQUENCE config_ids;
CREATE SEQUENCE environment_ids;
CREATE SEQUENCE object_ids;
CREATE SEQUENCE symbol_ids;
CREATE SEQUENCE run_ids;
SELECT setval('commit_info_ids', (SELECT COALESCE(MAX(id), 0) + 1 FROM commit_info), false),
       setval('machine_ids', (SELECT COALESCE(MAX(id), 0) + 1 FROM machine), false),
       setval('config_ids', (SELECT COALESCE(MAX(id), 0) + 1 FROM config), false),
       setval('environment_ids', (SELECT COALESCE(MAX(id), 0) + 1 FROM environment), false),
       setval('object_ids', (SELECT COALESCE(MAX(id), 0) + 1 FROM object), false),
       setval('symbol_ids', (SELECT COALESCE(MAX(id), 0) + 1 FROM symbol), false),
       setval('run_ids', (SELECT COALESCE(MAX(id), 0) + 1 FROM run), false);

CREATE UNIQUE INDEX chain_by_writer ON chain (writer) WHERE is_local = 1;

CREATE INDEX run_by_machine ON run (machine_id);
CREATE INDEX run_by_config ON run (config_id);
CREATE INDEX run_by_environment ON run (environment_id);
CREATE INDEX event_by_stacks ON event (stacks);
CREATE INDEX series_by_csv ON series (csv);
CREATE INDEX drift_event_by_base ON drift_event (base_run);
CREATE INDEX drift_event_by_head ON drift_event (head_run);
CREATE INDEX drift_event_by_symbol ON drift_event (symbol_id);
*/
