-- A claim is bound to what staff saw of it, and its award to the consent of a second person (ADR 0088).

-- What staff see of a claim: contact, and the address to which the winner's emails go.
CREATE FUNCTION draw_claim_hash(c draw_claims) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(jsonb_build_array(
    'volant-claim-seen-v1', c.offer_id, c.attempt, c.name, c.address, c.postcode, c.city, c.country, c.phone,
    coalesce(u.email, p.email)
  )::text, 'UTF8'))
  FROM draw_attempts a
  JOIN tickets t ON t.offer_id = a.offer_id AND t.number = a.number
  LEFT JOIN users u ON u.id = t.user_id
  LEFT JOIN postal_entries p ON t.source = 'postal' AND p.offer_id = t.offer_id AND p.ticket_number = t.number
  WHERE a.offer_id = c.offer_id AND a.attempt = c.attempt
$$;

ALTER TABLE draw_claims
  -- Of the claim whose proof of identity was seen. A claim that changed since has not been checked.
  ADD COLUMN identity_hash bytea CHECK (length(identity_hash) = 32),
  -- Nobody else of staff could have seen the identity when whoever wrote the claim down noted it.
  ADD COLUMN seen_alone boolean NOT NULL DEFAULT false,
  -- The request that two people agreed to; null of an award from before it needed one.
  ADD COLUMN award_approval_id bigint UNIQUE REFERENCES approvals,
  -- How many emails told the winner what staff did.
  ADD COLUMN told smallint NOT NULL DEFAULT 0 CHECK (told BETWEEN 0 AND 100);

DROP TRIGGER draw_claims_stay ON draw_claims;
UPDATE draw_claims c SET identity_hash = draw_claim_hash(c), seen_alone = coalesce(c.recorded_by = c.identity_seen_by, false)
  WHERE c.identity_seen_at IS NOT NULL;

ALTER TABLE draw_claims
  DROP CONSTRAINT draw_claims_identity_whole,
  ADD CONSTRAINT draw_claims_identity_whole CHECK (
    num_nulls(identity_seen_at, identity_seen_by, identity_hash) IN (0, 3)
  ),
  ADD CONSTRAINT draw_claims_seen_by_another CHECK (
    recorded_by IS NULL OR identity_seen_by IS NULL OR recorded_by <> identity_seen_by OR seen_alone
  );

-- Who saw the proof of identity of a claim changes only with the claim.
CREATE TRIGGER draw_claims_stay BEFORE UPDATE ON draw_claims
  FOR EACH ROW WHEN (
    (OLD.offer_id, OLD.attempt, OLD.token_hash, OLD.until, OLD.opened_at)
      IS DISTINCT FROM (NEW.offer_id, NEW.attempt, NEW.token_hash, NEW.until, NEW.opened_at)
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

-- An award needs an approved request, and the claim whose identity was seen.
CREATE FUNCTION require_two_for_award() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.identity_hash IS DISTINCT FROM draw_claim_hash(NEW) THEN
    RAISE EXCEPTION 'the claim of attempt % of contest % changed after its identity was seen', NEW.attempt, NEW.offer_id;
  END IF;
  IF NOT EXISTS (
    SELECT FROM approvals
    WHERE id = NEW.award_approval_id AND permission = 'draws.award' AND decision IN ('approved', 'alone')
      AND subject_kind = 'offer' AND subject = NEW.offer_id::text AND requested_by = NEW.awarded_by
  ) THEN
    RAISE EXCEPTION 'nobody has approved the award of attempt % of contest %', NEW.attempt, NEW.offer_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER draw_claims_awarded_by_two BEFORE UPDATE ON draw_claims
  FOR EACH ROW WHEN (OLD.awarded_at IS NULL AND NEW.awarded_at IS NOT NULL)
  EXECUTE FUNCTION require_two_for_award();
-- No claim begins as awarded.
ALTER TABLE draw_claims ADD CONSTRAINT draw_claims_award_is_seen CHECK (awarded_at IS NULL OR identity_hash IS NOT NULL);
