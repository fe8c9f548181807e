-- Reports of past periods stay as they are, and a statement can be compared again (ADR 0054).

ALTER TABLE refunds
  -- When the refund was made, by the provider's clock where it says so. It never changes.
  ADD COLUMN completed_at timestamptz;
UPDATE refunds SET completed_at = changed_at WHERE status = 'completed';
ALTER TABLE refunds
  ADD CONSTRAINT refunds_done_have_a_time CHECK (status <> 'completed' OR completed_at IS NOT NULL);
CREATE FUNCTION refund_is_completed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.completed_at := NEW.changed_at;
  RETURN NEW;
END
$$;
CREATE TRIGGER refunds_completed BEFORE INSERT OR UPDATE OF status ON refunds
  FOR EACH ROW WHEN (NEW.status = 'completed' AND NEW.completed_at IS NULL) EXECUTE FUNCTION refund_is_completed();
DROP INDEX refunds_done;
CREATE INDEX refunds_done ON refunds (completed_at) WHERE status = 'completed';

ALTER TABLE refund_lines
  -- Whether these tickets become void once the refund is done. Otherwise the row only says to which tickets the amount
  -- belongs.
  ADD COLUMN voids boolean NOT NULL DEFAULT true;
INSERT INTO refund_lines (refund_id, offer_id, quantity, voids)
SELECT id, offer_id, CASE WHEN total = 0 THEN quantity ELSE meant END, false
FROM (
  SELECT *, sum(meant) OVER (PARTITION BY id) AS total
  FROM (
    SELECT *, CASE
        WHEN bool_or(is_cancelled) OVER (PARTITION BY id) THEN CASE WHEN is_cancelled THEN quantity ELSE 0 END
        WHEN part = 'amount' THEN quantity
        ELSE quantity - returned_quantity
      END AS meant
    FROM (
      SELECT r.id, r.part, l.offer_id, l.quantity, l.returned_quantity,
             -- In one transaction with the refund.
             r.reason = 'offer_cancelled' AND coalesce(
               l.refund_requested_at BETWEEN r.created_at AND r.created_at + interval '30 seconds', false
             ) AS is_cancelled
      FROM refunds r JOIN order_lines l ON l.order_id = r.order_id
      WHERE NOT EXISTS (SELECT FROM refund_lines p WHERE p.refund_id = r.id)
    ) AS line
  ) AS line
) AS line
WHERE total = 0 OR meant > 0;

ALTER TABLE statements
  -- The first comparison of a file and a period is 1, each later one more.
  ADD COLUMN run integer NOT NULL DEFAULT 1 CHECK (run > 0),
  -- [{difference, at_edge, count}] of all differences; of each kind the first thousands have rows.
  ADD COLUMN found jsonb NOT NULL DEFAULT '[]';
UPDATE statements s SET found = coalesce((
  SELECT json_agg(d)::jsonb FROM (
    SELECT difference, at_edge, count(*) AS count FROM statement_differences
    WHERE statement_id = s.id GROUP BY difference, at_edge
  ) AS d
), '[]');
ALTER TABLE statements ALTER COLUMN found DROP DEFAULT;
ALTER TABLE statements DROP CONSTRAINT statements_file_hash_key;
CREATE UNIQUE INDEX statements_runs ON statements (file_hash, from_day, to_day, run);

-- The last attempt to send a report that could not be sent: others come first.
ALTER TABLE report_subscriptions ADD COLUMN tried_at timestamptz;

-- A card that was refused before its address was confirmed may be of somebody who had the address before.
UPDATE emails SET user_id = NULL
  FROM postal_entries e JOIN users u ON u.id = e.user_id
  WHERE emails.key IN ('postal-entry:' || e.id, 'postal-cancelled:' || e.id)
    AND e.status = 'refused' AND u.email_confirmed_at > e.registered_at;
UPDATE postal_entries e SET user_id = NULL
  FROM users u
  WHERE u.id = e.user_id AND e.status = 'refused' AND u.email_confirmed_at > e.registered_at;
