-- Messages about alerts: one for all of a kind, by email and to a webhook (ADR 0111).
-- Going back: yes

CREATE TABLE alert_messages (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind      text NOT NULL CHECK (kind ~ '^[a-zA-Z]+$'),
  -- The last message of a kind says whether its alerts are being told: they are after the first three.
  event     text NOT NULL CHECK (event IN ('opened', 'more', 'repeated', 'passed', 'resolved', 'test')),
  at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Figures and first examples, from which the text is made when it is sent.
  facts     jsonb NOT NULL,
  -- Of the webhook alone; emails have their own outbox. Unsent: there is none, or it is not told of this kind. Superseded:
  -- a later message of the kind says what this one would have said.
  state     text NOT NULL CHECK (state IN ('unsent', 'queued', 'sent', 'refused', 'superseded')),
  attempts  integer NOT NULL DEFAULT 0,
  due_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  tried_at  timestamptz,
  error     text CHECK (length(error) <= 300)
);
CREATE INDEX alert_messages_kind ON alert_messages (kind, id DESC);
CREATE INDEX alert_messages_due ON alert_messages (due_at) WHERE state = 'queued';
CREATE INDEX alert_messages_tried ON alert_messages (id DESC) WHERE attempts > 0;

-- When a message first told of an alert. Null: no message did yet.
ALTER TABLE alerts ADD COLUMN told_at timestamptz;
UPDATE alerts SET told_at = since;
CREATE INDEX alerts_untold ON alerts (kind) WHERE told_at IS NULL;
