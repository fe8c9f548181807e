-- What so far only the code held, and indexes by what is asked.

-- One way for a trigger to say no, under the name of what was broken.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused by %', TG_OP, TG_TABLE_NAME, TG_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- The history of orders only grows.
CREATE TRIGGER order_events_only_grow BEFORE UPDATE OR DELETE ON order_events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A number is made from the running count, the total and the key: any of them changed would give one twice.
CREATE TRIGGER offers_sold_never_falls BEFORE UPDATE OF tickets_sold ON offers
  FOR EACH ROW WHEN (NEW.tickets_sold < OLD.tickets_sold) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER offers_numbers_stay BEFORE UPDATE OF total_tickets, number_key ON offers
  FOR EACH ROW WHEN (
    OLD.tickets_sold > 0 AND (NEW.total_tickets <> OLD.total_tickets OR NEW.number_key <> OLD.number_key)
  ) EXECUTE FUNCTION refuse_change();

-- A capture has one open wish of ours for a refund at a time.
CREATE UNIQUE INDEX refunds_one_open ON refunds (capture_id)
  WHERE origin = 'shop' AND status IN ('requested', 'pending');
ALTER TABLE refunds
  ADD CONSTRAINT refunds_done_are_known CHECK (status <> 'completed' OR refund_id IS NOT NULL);

ALTER TABLE orders
  ADD CONSTRAINT orders_attempts_count_up CHECK (capture_attempt >= 1),
  ADD CONSTRAINT orders_tax_is_none_or_more CHECK (tax_percent >= 0),
  ADD CONSTRAINT orders_provider_has_a_name CHECK (provider_order_id <> '');

-- Staff look at all refunds of an order.
CREATE INDEX refunds_order ON refunds (order_id);
-- A buyer's open orders are found by orders_one_open, and nothing asks for the others; each move of an order wrote it.
DROP INDEX orders_user;
-- Sessions that have ended in one of three ways are read from the table, whatever index one of the ways has.
DROP INDEX sessions_end;
