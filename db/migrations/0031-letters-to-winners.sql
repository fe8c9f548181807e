-- A winner whose card has no email address is told by letter, and has the time for the claim from the day on which it is
-- marked as sent (ADR 0089).

ALTER TABLE draw_claims
  -- Nobody could be told by email when the claim was opened.
  ADD COLUMN needs_letter boolean NOT NULL DEFAULT false,
  ADD COLUMN letter_printed_at timestamptz,
  ADD COLUMN letter_sent_at timestamptz,
  ADD COLUMN letter_sent_by bigint REFERENCES users,
  ADD CONSTRAINT draw_claims_letter_whole CHECK (num_nulls(letter_sent_at, letter_sent_by) IN (0, 2)),
  ADD CONSTRAINT draw_claims_letter_printed CHECK (letter_sent_at IS NULL OR letter_printed_at IS NOT NULL);

UPDATE draw_claims c SET needs_letter = true
FROM draw_attempts a
JOIN tickets t ON t.offer_id = a.offer_id AND t.number = a.number AND t.source = 'postal' AND t.user_id IS NULL
JOIN postal_entries p ON p.offer_id = t.offer_id AND p.ticket_number = t.number
WHERE a.offer_id = c.offer_id AND a.attempt = c.attempt AND c.submitted_at IS NULL AND c.awarded_at IS NULL
  AND c.forfeited_at IS NULL AND p.email IS NULL AND p.address IS NOT NULL;

-- The letter to a winner is not sent yet, and there is an address for it.
CREATE FUNCTION draw_letter_waits(c draw_claims) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT c.needs_letter AND c.letter_sent_at IS NULL AND c.submitted_at IS NULL AND EXISTS (
    SELECT FROM draw_attempts a
    JOIN postal_entries p ON p.offer_id = a.offer_id AND p.ticket_number = a.number
    WHERE a.offer_id = c.offer_id AND a.attempt = c.attempt AND p.address IS NOT NULL AND p.name IS NOT NULL
  )
$$;

-- The end of the time for the claim moves once, when the letter is sent, and never to an earlier instant.
DROP TRIGGER draw_claims_stay ON draw_claims;
CREATE TRIGGER draw_claims_stay BEFORE UPDATE ON draw_claims
  FOR EACH ROW WHEN (
    (OLD.offer_id, OLD.attempt, OLD.token_hash, OLD.opened_at, OLD.needs_letter)
      IS DISTINCT FROM (NEW.offer_id, NEW.attempt, NEW.token_hash, NEW.opened_at, NEW.needs_letter)
    OR (OLD.until <> NEW.until
        AND (NEW.until < OLD.until OR OLD.letter_sent_at IS NOT NULL OR NEW.letter_sent_at IS NULL))
    OR (OLD.letter_sent_at IS NOT NULL
        AND (OLD.letter_sent_at, OLD.letter_sent_by) IS DISTINCT FROM (NEW.letter_sent_at, NEW.letter_sent_by))
    OR (OLD.submitted_at IS NOT NULL AND NEW.submitted_at IS NULL)
    OR (OLD.identity_seen_at IS NOT NULL
        AND (OLD.identity_seen_at, OLD.identity_seen_by, OLD.identity_hash)
          IS DISTINCT FROM (NEW.identity_seen_at, NEW.identity_seen_by, NEW.identity_hash)
        AND (OLD.awarded_at IS NOT NULL OR NEW.identity_seen_at IS NULL OR OLD.identity_hash = NEW.identity_hash))
    OR (OLD.awarded_at IS NOT NULL
        AND (OLD.awarded_at, OLD.awarded_by, OLD.delivered_on, OLD.award_approval_id)
          IS DISTINCT FROM (NEW.awarded_at, NEW.awarded_by, NEW.delivered_on, NEW.award_approval_id))
    OR (OLD.forfeited_at IS NOT NULL AND OLD.forfeited_at IS DISTINCT FROM NEW.forfeited_at)
    OR (OLD.erased_at IS NOT NULL AND OLD.erased_at IS DISTINCT FROM NEW.erased_at)
  ) EXECUTE FUNCTION refuse_change();

-- Nobody loses a prize as unclaimed before their letter was sent and its time has run.
CREATE FUNCTION require_letter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM draw_claims c
    WHERE c.offer_id = NEW.offer_id AND c.attempt = NEW.attempt AND c.needs_letter AND c.submitted_at IS NULL
      AND (c.until > NEW.published_at OR draw_letter_waits(c))
  ) THEN
    RAISE EXCEPTION 'the letter to the winner of attempt % of contest % waits, or its time', NEW.attempt, NEW.offer_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER draw_forfeitures_after_letter BEFORE INSERT ON draw_forfeitures
  FOR EACH ROW WHEN (NEW.reason = 'unclaimed') EXECUTE FUNCTION require_letter();
