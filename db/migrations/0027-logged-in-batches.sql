-- A batch of entries is checked by one statement instead of two lookups for each of its rows, which were most of what an
-- entry cost the database (docs/adr/0075).

-- The worker that appends has locked the row of the log, and rows of logs are never deleted.
ALTER TABLE draw_leaves DROP CONSTRAINT draw_leaves_log_id_fkey;
CREATE FUNCTION check_logs_of_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT log_id FROM added) AS a
    WHERE NOT EXISTS (SELECT FROM draw_logs l WHERE l.id = a.log_id)
  ) THEN
    RAISE foreign_key_violation USING MESSAGE = 'a leaf needs its log';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER draw_leaves_need_logs AFTER INSERT ON draw_leaves
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_logs_of_leaves();

-- Logged entries keep their tickets, since tickets that are logged are neither deleted nor renumbered.
ALTER TABLE draw_entries DROP CONSTRAINT draw_entries_offer_id_number_fkey;
CREATE FUNCTION check_tickets_of_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM added a
    WHERE NOT EXISTS (SELECT FROM tickets t WHERE t.offer_id = a.offer_id AND t.number = a.number)
  ) THEN
    RAISE foreign_key_violation USING MESSAGE = 'an entry needs its ticket';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER draw_entries_need_tickets AFTER INSERT ON draw_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_tickets_of_entries();

CREATE FUNCTION keep_logged_tickets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM draw_entries e WHERE e.offer_id = OLD.offer_id AND e.number = OLD.number) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the log has an entry for this ticket';
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER tickets_logged_stay BEFORE DELETE OR UPDATE OF id, offer_id, number ON tickets
  FOR EACH ROW EXECUTE FUNCTION keep_logged_tickets();
