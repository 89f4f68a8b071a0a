-- 008_anchors.sql - signed heads of chains
--
-- The holder of the key can prove that a chain had this run at this place; see src/trust/anchor.h and docs/trust.md.

CREATE TABLE anchor (
	origin        TEXT NOT NULL REFERENCES chain (origin),
	seq           BIGINT NOT NULL,
	run_hash      TEXT NOT NULL,              -- of the run, or the tombstone, at this place
	signed_utc    TEXT NOT NULL,
	key_id        TEXT NOT NULL,              -- tells keys apart, and says nothing of the key
	mac           TEXT NOT NULL,              -- HMAC-SHA-256 over the other columns
	PRIMARY KEY (origin, seq, key_id)
);
