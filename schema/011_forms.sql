-- 011_forms.sql - the form of the text that each run's content_hash is of
--
-- A hash of form 1 leaves out some columns where others are NULL.  Form 2 covers all columns of a run; see src/store/chain.h.

ALTER TABLE run ADD COLUMN form BIGINT NOT NULL DEFAULT 1;
