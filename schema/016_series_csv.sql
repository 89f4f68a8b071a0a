-- 016_series_csv.sql - the rows of series that are stored with a run
--
-- The CSV files of a run are stored whole and compressed (stack_blob); its series are their columns.

-- One stored CSV file of one run: its kind, the number of its series, the largest number of values of a series, and its
-- text.  'hotdrift show RUN --series=KIND --csv' prints the text; zstd is a frame that any zstd decompresses.
CREATE VIEW v_series_csv AS
SELECT r.run_id, r.recorded_utc, r.target, r.mode, r.status, t.kind, t.name AS first_series, g.series, g.samples,
       b.sha256, b.bytes, b.zstd
  FROM (SELECT run_id, csv, MIN(series) AS first, COUNT(*) AS series, MAX(samples) AS samples
          FROM series WHERE csv IS NOT NULL GROUP BY run_id, csv) g
  JOIN series t ON t.run_id = g.run_id AND t.series = g.first
  JOIN run r ON r.id = g.run_id
  JOIN stack_blob b ON b.sha256 = g.csv;
