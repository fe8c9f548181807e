-- Selling ends early by a cancellation alone. The one exception is a database that lacks its last sales, which the command
-- line stops (docs/operations.md): it writes its event in the same transaction. Deferred, so that the event may come after
-- the change; a function, so that tests may move its clock.

CREATE FUNCTION refuse_early_close() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.end_date > clock_timestamp() AND NOT coalesce((
    SELECT event = 'stop' AND actor = 'command line' FROM offer_events WHERE offer_id = NEW.id ORDER BY id DESC LIMIT 1
  ), false) THEN
    RAISE EXCEPTION '% of % is refused by %', TG_OP, TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER offers_close_at_their_end AFTER UPDATE OF state ON offers
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.state = 'open' AND NEW.state = 'closed')
  EXECUTE FUNCTION refuse_early_close();
