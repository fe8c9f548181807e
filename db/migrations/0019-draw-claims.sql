-- Claims of prizes and forfeitures (docs/draw-v1.md, section 9). A drawn attempt has one claim.

CREATE TABLE draw_claims (
  offer_id           integer NOT NULL,
  attempt            smallint NOT NULL,
  -- SHA-256 of the secret in the winner's link.
  token_hash         bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  -- The first instant at which an unclaimed prize forfeits: the time of the result's leaf and the claim time of the terms.
  until              timestamptz NOT NULL,
  opened_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  reminders          smallint NOT NULL DEFAULT 0 CHECK (reminders BETWEEN 0 AND 2),
  -- The first time. It says, too, that the winner is 18 and not excluded from the draw.
  submitted_at       timestamptz,
  -- Staff who wrote it down for a winner by post; null of a winner who did it alone.
  recorded_by        bigint REFERENCES users,
  name               text,
  address            text[],
  postcode           text,
  city               text,
  country            text,
  phone              text,
  -- The first name and the place may be published.
  name_consent_at    timestamptz,
  first_name         text,
  place              text,
  -- A picture may be published.
  picture_consent_at timestamptz,
  -- Staff saw a proof of identity; no copy is kept.
  identity_seen_at   timestamptz,
  identity_seen_by   bigint REFERENCES users,
  awarded_at         timestamptz,
  awarded_by         bigint REFERENCES users,
  delivered_on       date,
  forfeited_at       timestamptz,
  -- Contact data, and names without consent, are gone.
  erased_at          timestamptz,
  PRIMARY KEY (offer_id, attempt),
  FOREIGN KEY (offer_id, attempt) REFERENCES draw_attempts,
  CONSTRAINT draw_claims_submitted_whole CHECK (
    num_nonnulls(name, address, city, country)
      = CASE WHEN submitted_at IS NULL OR erased_at IS NOT NULL THEN 0 ELSE 4 END
  ),
  CONSTRAINT draw_claims_name_is_consented CHECK (
    num_nulls(name_consent_at, first_name, place) IN (0, 3)
  ),
  CONSTRAINT draw_claims_consents_are_of_claims CHECK (
    submitted_at IS NOT NULL OR num_nonnulls(name_consent_at, picture_consent_at, recorded_by, identity_seen_at) = 0
  ),
  CONSTRAINT draw_claims_identity_whole CHECK (num_nulls(identity_seen_at, identity_seen_by) IN (0, 2)),
  CONSTRAINT draw_claims_award_whole CHECK (num_nulls(awarded_at, awarded_by, delivered_on) IN (0, 3)),
  CONSTRAINT draw_claims_awarded_after_identity CHECK (awarded_at IS NULL OR identity_seen_at IS NOT NULL),
  CONSTRAINT draw_claims_one_end CHECK (num_nonnulls(awarded_at, forfeited_at) <= 1)
);
CREATE UNIQUE INDEX draw_claims_one_award ON draw_claims (offer_id) WHERE awarded_at IS NOT NULL;
CREATE INDEX draw_claims_waiting ON draw_claims (until) WHERE awarded_at IS NULL AND forfeited_at IS NULL;

CREATE TRIGGER draw_claims_stay BEFORE UPDATE ON draw_claims
  FOR EACH ROW WHEN (
    (OLD.offer_id, OLD.attempt, OLD.token_hash, OLD.until, OLD.opened_at)
      IS DISTINCT FROM (NEW.offer_id, NEW.attempt, NEW.token_hash, NEW.until, NEW.opened_at)
    OR (OLD.submitted_at IS NOT NULL AND NEW.submitted_at IS NULL)
    OR (OLD.identity_seen_at IS NOT NULL
        AND (OLD.identity_seen_at, OLD.identity_seen_by) IS DISTINCT FROM (NEW.identity_seen_at, NEW.identity_seen_by))
    OR (OLD.awarded_at IS NOT NULL
        AND (OLD.awarded_at, OLD.awarded_by, OLD.delivered_on) IS DISTINCT FROM (NEW.awarded_at, NEW.awarded_by, NEW.delivered_on))
    OR (OLD.forfeited_at IS NOT NULL AND OLD.forfeited_at IS DISTINCT FROM NEW.forfeited_at)
    OR (OLD.erased_at IS NOT NULL AND OLD.erased_at IS DISTINCT FROM NEW.erased_at)
  ) EXECUTE FUNCTION refuse_change();

CREATE TABLE draw_forfeitures (
  offer_id     integer NOT NULL,
  attempt      smallint NOT NULL,
  reason       text NOT NULL CHECK (
    reason IN ('unclaimed', 'voided', 'under-age', 'excluded', 'staff', 'postal-rule')
  ),
  -- Counts towards the most that the shop decides (`alternates-decided` of the terms).
  is_decided   boolean NOT NULL,
  -- As in `forfeiture-K.txt`.
  published_at timestamptz NOT NULL,
  -- The request that two people agreed to.
  approval_id  bigint UNIQUE REFERENCES approvals,
  PRIMARY KEY (offer_id, attempt),
  FOREIGN KEY (offer_id, attempt) REFERENCES draw_claims,
  CONSTRAINT draw_forfeitures_decided_by_two CHECK ((approval_id IS NULL) = (reason IN ('unclaimed', 'voided'))),
  CONSTRAINT draw_forfeitures_decided CHECK (
    CASE reason WHEN 'unclaimed' THEN NOT is_decided WHEN 'voided' THEN true ELSE is_decided END
  )
);
CREATE TRIGGER draw_forfeitures_only_grow BEFORE UPDATE OR DELETE ON draw_forfeitures
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER draw_claims_never_deleted BEFORE DELETE ON draw_claims
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_claims_never_emptied BEFORE TRUNCATE ON draw_claims
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_forfeitures_never_emptied BEFORE TRUNCATE ON draw_forfeitures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
