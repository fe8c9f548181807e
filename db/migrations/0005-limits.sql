-- How often something was done lately, for every process to see (ADR 0019). Not worth a backup, nor a write-ahead log:
-- after a crash of the database the counting begins afresh.

CREATE UNLOGGED TABLE limit_counters (
  -- A keyed fingerprint of what is counted and for whom, never an address or a name itself.
  key            bytea PRIMARY KEY CHECK (length(key) = 16),
  count          integer NOT NULL CHECK (count >= 0),
  -- From then on the row means nothing.
  until          timestamptz NOT NULL,
  -- Refused until then, where every failure makes the next one wait longer.
  blocked_until  timestamptz
) WITH (fillfactor = 70);
CREATE INDEX limit_counters_age ON limit_counters (until);

-- Messages of the contact form are counted there, too.
DROP TABLE contact_arrivals;

-- Ended sessions and links are looked for by the job that deletes them.
CREATE INDEX sessions_end ON sessions (expires_at);
CREATE INDEX password_resets_end ON password_resets (expires_at);
