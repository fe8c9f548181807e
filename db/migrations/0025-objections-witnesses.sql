-- Objections to entries, entries voided before the seal, counts of cards, checkpoints by mail, and witnesses (ADR 0072).

-- Objections ----------------------------------------------------------------------------------------------------------

-- What somebody objects to about a contest's entries, as staff note it, with the answer that it got.
CREATE TABLE objections (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  offer_id    integer NOT NULL REFERENCES offers,
  -- Null when it is about no single entry.
  number      integer,
  -- The message of the contact form that it came by.
  message_id  uuid REFERENCES messages ON DELETE SET NULL,
  text        text NOT NULL,
  noted_by    bigint NOT NULL REFERENCES users,
  noted_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  outcome     text CHECK (outcome IN ('upheld', 'dismissed')),
  answer      text,
  answered_by bigint REFERENCES users,
  answered_at timestamptz,
  erased_at   timestamptz,
  CONSTRAINT objections_text CHECK ((text = '') = (erased_at IS NOT NULL)),
  CONSTRAINT objections_answered_whole CHECK (num_nulls(outcome, answer, answered_by, answered_at) IN (0, 4)),
  FOREIGN KEY (offer_id, number) REFERENCES tickets (offer_id, number)
);
CREATE INDEX objections_of_offer ON objections (offer_id, id);
CREATE INDEX objections_of_message ON objections (message_id) WHERE message_id IS NOT NULL;
CREATE TRIGGER objections_stay BEFORE UPDATE ON objections
  FOR EACH ROW WHEN (
    (OLD.id, OLD.offer_id, OLD.noted_by, OLD.noted_at) IS DISTINCT FROM (NEW.id, NEW.offer_id, NEW.noted_by, NEW.noted_at)
    OR OLD.number IS DISTINCT FROM NEW.number
    OR (OLD.text <> NEW.text AND NEW.erased_at IS NULL)
    OR (OLD.answered_at IS NOT NULL
        AND (OLD.outcome, OLD.answered_by, OLD.answered_at) IS DISTINCT FROM (NEW.outcome, NEW.answered_by, NEW.answered_at))
    OR (OLD.answered_at IS NOT NULL AND OLD.answer <> NEW.answer
        AND NOT (NEW.erased_at IS NOT NULL AND NEW.answer = ''))
    OR (OLD.erased_at IS NOT NULL AND OLD.erased_at IS DISTINCT FROM NEW.erased_at)
  ) EXECUTE FUNCTION refuse_change();

-- Entries that two people have voided.
CREATE TABLE entry_voids (
  offer_id    integer NOT NULL,
  number      integer NOT NULL,
  reason      text NOT NULL CHECK (reason IN ('under-age', 'excluded', 'staff', 'postal-rule')),
  -- The request that two people agreed to.
  approval_id bigint NOT NULL REFERENCES approvals,
  voided_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (offer_id, number),
  FOREIGN KEY (offer_id, number) REFERENCES tickets (offer_id, number)
);
CREATE INDEX entry_voids_of_approval ON entry_voids (approval_id);
-- From the seal on only a forfeiture takes a number out.
CREATE FUNCTION require_unsealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT state FROM offers WHERE id = NEW.offer_id FOR NO KEY UPDATE) NOT IN ('open', 'closed', 'listed') THEN
    RAISE EXCEPTION 'contest % is sealed or over: its entries stay', NEW.offer_id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER entry_voids_before_the_seal BEFORE INSERT ON entry_voids
  FOR EACH ROW EXECUTE FUNCTION require_unsealed();
CREATE TRIGGER entry_voids_only_grow BEFORE UPDATE OR DELETE ON entry_voids
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entry_voids_never_emptied BEFORE TRUNCATE ON entry_voids
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Cards of a contest, counted by two people ---------------------------------------------------------------------------

CREATE TABLE postal_counts (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  offer_id     integer NOT NULL REFERENCES offers,
  -- Counted by hand.
  cards        integer NOT NULL CHECK (cards >= 0),
  -- Cards of the contest in the shop at that moment, refused ones too.
  registered   integer NOT NULL CHECK (registered >= 0),
  counted_by   bigint NOT NULL REFERENCES users,
  counted_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  confirmed_by bigint REFERENCES users,
  confirmed_at timestamptz,
  CONSTRAINT postal_counts_two_people CHECK (confirmed_by <> counted_by),
  CONSTRAINT postal_counts_confirmed_whole CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL)),
  CONSTRAINT postal_counts_agree CHECK (confirmed_at IS NULL OR cards = registered)
);
CREATE INDEX postal_counts_of_offer ON postal_counts (offer_id, id);
CREATE TRIGGER postal_counts_stay BEFORE UPDATE ON postal_counts
  FOR EACH ROW WHEN (
    OLD.confirmed_at IS NOT NULL
    OR (OLD.id, OLD.offer_id, OLD.cards, OLD.registered, OLD.counted_by, OLD.counted_at)
      IS DISTINCT FROM (NEW.id, NEW.offer_id, NEW.cards, NEW.registered, NEW.counted_by, NEW.counted_at)
  ) EXECUTE FUNCTION refuse_change();

-- Checkpoints that left by mail ---------------------------------------------------------------------------------------

CREATE TABLE checkpoint_mails (
  day     date PRIMARY KEY,
  -- The attached file.
  content text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Witnesses -----------------------------------------------------------------------------------------------------------

-- Keys by which invited people outside of the shop sign checkpoints.
CREATE TABLE witness_keys (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint NOT NULL REFERENCES users,
  -- As the public sees it, and as the signature lines have it.
  name       text NOT NULL CHECK (name ~ '^[!-*,-~]{1,60}$'),
  public_key bytea NOT NULL UNIQUE CHECK (length(public_key) = 32),
  made_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- From then on it signs nothing any more; what it has signed stays.
  ended_at   timestamptz
);
CREATE UNIQUE INDEX witness_keys_one_of_each ON witness_keys (user_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX witness_keys_names ON witness_keys (lower(name)) WHERE ended_at IS NULL;
CREATE TRIGGER witness_keys_stay BEFORE UPDATE ON witness_keys
  FOR EACH ROW WHEN (
    OLD.ended_at IS NOT NULL
    OR (OLD.id, OLD.user_id, OLD.name, OLD.public_key, OLD.made_at)
      IS DISTINCT FROM (NEW.id, NEW.user_id, NEW.name, NEW.public_key, NEW.made_at)
  ) EXECUTE FUNCTION refuse_change();

CREATE TABLE witness_signatures (
  checkpoint_id bigint NOT NULL REFERENCES draw_checkpoints,
  key_id        bigint NOT NULL REFERENCES witness_keys,
  -- The signature line, without its line feed.
  line          text NOT NULL CHECK (line LIKE '— %'),
  signed_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (checkpoint_id, key_id)
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['objections', 'postal_counts', 'witness_keys'] LOOP
    EXECUTE format(
      'CREATE TRIGGER %1$s_never_deleted BEFORE DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['checkpoint_mails', 'witness_signatures'] LOOP
    EXECUTE format(
      'CREATE TRIGGER %1$s_only_grow BEFORE UPDATE OR DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['objections', 'postal_counts', 'checkpoint_mails', 'witness_keys', 'witness_signatures'] LOOP
    EXECUTE format(
      'CREATE TRIGGER %1$s_never_emptied BEFORE TRUNCATE ON %1$s FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;
