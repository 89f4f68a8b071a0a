-- 018_references.sql - indexes of the references that prune follows
--
-- When prune deletes a run or a text, the engine searches for rows that still refer to it.  Servers have these indexes
-- since 017.  Without them, SQLite reads a whole table for each run: in a file of 2,000 runs and 10,000 findings,
-- prune of 1,466 runs took 2.66 s of CPU time instead of 0.37 s, and this grows with the square of the runs.
-- Only gates write findings.  The other two indexes cost an add no measurable CPU time (11 ms), 17 KB more to write
-- (8 %) and 2 % of the file.
--
-- The references to machines, configurations, environments, symbols and objects have no index in a file, because no
-- command deletes these rows or searches by them.  hotspot has none on a server either (docs/fleet.md).

CREATE INDEX IF NOT EXISTS drift_event_by_base ON drift_event (base_run);
CREATE INDEX IF NOT EXISTS drift_event_by_head ON drift_event (head_run);
CREATE INDEX IF NOT EXISTS event_by_stacks ON event (stacks);
CREATE INDEX IF NOT EXISTS series_by_csv ON series (csv);
