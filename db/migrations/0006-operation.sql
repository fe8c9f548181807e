-- What needs a look by staff, and what the hourly check of the shop's promises found (ADR 0020).

CREATE TABLE alarms (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind         text NOT NULL CHECK (kind ~ '^[a-zA-Z]+$'),
  -- What it is about: an order, an invariant; empty for the whole shop.
  subject      text NOT NULL DEFAULT '',
  details      jsonb NOT NULL DEFAULT '{}',
  since        timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen    timestamptz NOT NULL DEFAULT clock_timestamp(),
  times        integer NOT NULL DEFAULT 1,
  resolved_at  timestamptz
);
-- One open alarm for each matter, whoever sees it and however often.
CREATE UNIQUE INDEX alarms_open ON alarms (kind, subject) WHERE resolved_at IS NULL;
CREATE INDEX alarms_newest ON alarms (since DESC);

-- One row for each run of db/invariants.sql by a worker.
CREATE TABLE invariant_checks (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  checked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  took_ms     integer NOT NULL,
  -- Names of those that did not hold, and of those that could not be asked.
  broken      text[] NOT NULL,
  unknown     text[] NOT NULL
);
CREATE INDEX invariant_checks_newest ON invariant_checks (checked_at DESC);

-- What the background work and the figures look for again and again, so that it costs nothing in a large shop.
CREATE INDEX webhook_inbox_waiting ON webhook_inbox (received_at) WHERE handled_at IS NULL;
CREATE INDEX mails_failed ON mails (closed_at) WHERE state = 'failed';
CREATE INDEX orders_in_review ON orders (changed_at) WHERE state = 'review';
