-- 011_forms.sql - the form of the text whose hash is the content_hash of a run
--
-- Form 1 is that of runs that were added before this version.  Form 2 skips each NULL, so that columns of later schemas
-- can be added without changing the hashes of old runs; see src/trust/content_hash.h.

ALTER TABLE run ADD COLUMN form BIGINT NOT NULL DEFAULT 1;
