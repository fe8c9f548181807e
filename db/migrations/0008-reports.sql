-- Reports: what the provider kept of a payment, its statements compared with the ledger, and reports by email.

-- What the provider kept of the payment; null where it has not said.
ALTER TABLE captures ADD COLUMN fee_cents integer CHECK (fee_cents >= 0);

-- Rows are added by time, so that a few pages stand for a period.
CREATE INDEX order_events_by_time ON order_events USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX captures_by_time ON captures USING brin (recorded_at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX refunds_done ON refunds (changed_at) WHERE status = 'completed';
-- Entries that are void, by contest.
CREATE INDEX tickets_void ON tickets (offer_id, source) WHERE status = 'void';

-- One row for each statement of the provider that was compared. Its file is not kept, nor the names that it holds.
CREATE TABLE statements (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file_hash    bytea NOT NULL UNIQUE CHECK (length(file_hash) = 32),
  imported_by  bigint NOT NULL REFERENCES users,
  imported_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The first and the last day in the file.
  from_day     date NOT NULL,
  to_day       date NOT NULL,
  rows         integer NOT NULL CHECK (rows > 0),
  -- Rows that moved no money, such as payments that wait.
  unbooked     integer NOT NULL CHECK (unbooked >= 0),
  agreed       integer NOT NULL CHECK (agreed >= 0),
  -- [{kind, type, currency, count, gross, fee, net}] in cents (src/features/reports/statement.rules.ts).
  sums         jsonb NOT NULL,
  CONSTRAINT statements_period CHECK (from_day <= to_day)
);

-- What the statement and the ledger do not agree on.
CREATE TABLE statement_differences (
  statement_id    bigint NOT NULL REFERENCES statements ON DELETE CASCADE,
  position        integer NOT NULL,
  difference      text NOT NULL CHECK (difference IN ('missing_here', 'missing_there', 'amount', 'fee')),
  entry           text NOT NULL CHECK (entry IN ('payment', 'refund')),
  -- Of the capture or the refund.
  transaction_id  text NOT NULL,
  order_id        uuid REFERENCES orders,
  ours_cents      bigint,
  theirs_cents    bigint,
  day             date NOT NULL,
  -- So near to the first or last day that it may belong to the statement before or after.
  at_edge         boolean NOT NULL DEFAULT false,
  PRIMARY KEY (statement_id, position)
);

-- Who gets a report by email.
CREATE TABLE report_subscriptions (
  user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  period      text NOT NULL CHECK (period IN ('week', 'month')),
  language    text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  -- The first day of the newest period that was sent, or that had ended at the subscription.
  sent_until  date NOT NULL,
  PRIMARY KEY (user_id, period)
);
