-- Money that went back on the provider's own site, and the comparison of both books (ADR 0017).

-- How much of a capture goes back, all refunds that have not failed: never more than was taken.
ALTER TABLE captures
  ADD COLUMN refunded_cents integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT captures_never_refunded_twice CHECK (refunded_cents BETWEEN 0 AND amount_cents);
UPDATE captures c SET refunded_cents = (
  SELECT coalesce(sum(r.amount_cents), 0) FROM refunds r WHERE r.capture_id = c.capture_id AND r.status <> 'failed'
);

-- A refund of the provider's side (staff on its site, a dispute, a chargeback) has no attempt of ours.
ALTER TABLE refunds
  ADD COLUMN origin text NOT NULL DEFAULT 'shop' CHECK (origin IN ('shop', 'provider')),
  ALTER COLUMN attempt DROP NOT NULL,
  ADD CONSTRAINT refunds_attempt_is_ours CHECK ((origin = 'shop') = (attempt IS NOT NULL)),
  ADD CONSTRAINT refunds_of_theirs_are_known CHECK (origin = 'shop' OR refund_id IS NOT NULL);
CREATE INDEX refunds_open ON refunds (order_id) WHERE status IN ('requested', 'pending');

-- Orders that were given up after a capture had been asked for are compared with the provider's book once more, soon.
ALTER TABLE orders ADD COLUMN compared_at timestamptz;
CREATE INDEX orders_given_up ON orders (changed_at)
  WHERE state IN ('expired', 'cancelled', 'superseded') AND capture_started_at IS NOT NULL AND compared_at IS NULL;

-- Where the comparison of both books has come to: it walks along the orders' ids, which rise with time.
CREATE TABLE book_comparison (
  only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- The last order compared in this walk; null before the first.
  after_order uuid,
  begun_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Set when the walk has come to the end; the next one begins a day after this one began.
  ended_at    timestamptz
);
INSERT INTO book_comparison DEFAULT VALUES;
