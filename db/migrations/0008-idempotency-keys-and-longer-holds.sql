-- What a call with an Idempotency-Key answered, so that the same call again gets the same answer. Kept for a day.
CREATE TABLE idempotency_keys (
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- Of method, address and body: the same key with anything else is refused.
  fingerprint  bytea NOT NULL CHECK (length(fingerprint) = 32),
  -- Null while the first call is under way.
  status       integer CHECK (status BETWEEN 200 AND 499),
  answer       text,
  begun_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, key),
  CONSTRAINT idempotency_keys_whole CHECK ((status IS NULL) = (answer IS NULL))
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (begun_at);

-- A hold can be made longer once, by the buyer (WCAG 2.2.1).
ALTER TABLE orders ADD COLUMN hold_extended boolean NOT NULL DEFAULT false;
