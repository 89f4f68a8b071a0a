-- 011_forms.sql - the form of the text whose hash is the content_hash of a run
--
-- Form 1 leaves out some columns if others are NULL.  Form 2 covers all columns of a run; see src/trust/content_hash.h.

ALTER TABLE run ADD COLUMN form BIGINT NOT NULL DEFAULT 1;
