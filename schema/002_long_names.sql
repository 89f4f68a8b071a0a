-- 002_long_names.sql - index the start of symbol names, because PostgreSQL limits an index entry to 2,700 bytes
--
-- A lookup searches the index for the first 256 characters, and then compares whole names:
--     WHERE SUBSTR(normal, 1, 256) = SUBSTR($1, 1, 256) AND normal = $1

DROP INDEX symbol_by_name;
CREATE INDEX symbol_by_name ON symbol (SUBSTR(normal, 1, 256));
