-- Witnesses with keys in their browsers make way for those of the register (ADR 0133): who signs when a person remembers to
-- proves little, and nobody could say which signatures suffice.
-- Going back: no, an older version would read tables that are not there

DROP TABLE witness_signatures;
DROP TABLE witness_keys;
