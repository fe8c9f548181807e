-- Addresses and payer ids that cannot buy, as owners list them (ADR 0064): households of staff, and who asked for it.

CREATE TABLE excluded_payers (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind     text NOT NULL CHECK (kind IN ('email', 'payer_id')),
  -- As it was entered; null once its person was erased. The digest still excludes.
  value    text CHECK (length(value) BETWEEN 1 AND 254),
  -- SHA-256 of the value in lower case, in UTF-8.
  digest   bytea NOT NULL CHECK (length(digest) = 32),
  reason   text NOT NULL CHECK (reason IN ('household', 'self', 'other')),
  added_by bigint NOT NULL REFERENCES users,
  added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (kind, digest)
);

-- A card of somebody who cannot take part gets no number.
ALTER TABLE postal_entries
  DROP CONSTRAINT postal_entries_refusal_check,
  ADD CONSTRAINT postal_entries_refusal_check CHECK (refusal IN (
    'illegible', 'incomplete', 'cancelled', 'late', 'under_age', 'country', 'excluded', 'wrong_answer', 'duplicate',
    'registered_late', 'sold_out'
  ));
