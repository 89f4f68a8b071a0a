-- 002_long_names.sql - an index entry of PostgreSQL holds no more than 2,700 bytes, a symbol's name may
--
-- Of the name 256 characters are looked for, and what is found is compared whole:
--     WHERE SUBSTR(normal, 1, 256) = SUBSTR($1, 1, 256) AND normal = $1

DROP INDEX symbol_by_name;
CREATE INDEX symbol_by_name ON symbol (SUBSTR(normal, 1, 256));
