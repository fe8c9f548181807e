-- Free entries by post (ADR 0048): what the desk registers, and the numbers that a contest keeps for them.

-- Numbers of a contest that are never sold online, and how many of them entries by post have taken. Entries take these
-- first, then what is free for everybody.
ALTER TABLE offers
  -- POSTAL_RESERVE_PERCENT when the contest was published.
  ADD COLUMN postal_reserve_percent integer NOT NULL DEFAULT 0
    CONSTRAINT offers_postal_reserve_is_a_part CHECK (postal_reserve_percent BETWEEN 0 AND 50),
  -- Rounded up; at least one number is for sale.
  ADD COLUMN postal_reserve integer NOT NULL GENERATED ALWAYS AS (
    coalesce(least(total_tickets - 1, ceil(total_tickets * postal_reserve_percent / 100.0)::integer), 0)
  ) STORED,
  ADD COLUMN postal_reserve_used integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT offers_postal_reserve_used_up CHECK (postal_reserve_used BETWEEN 0 AND postal_reserve),
  DROP CONSTRAINT offers_never_oversold,
  ADD CONSTRAINT offers_never_oversold CHECK (
    tickets_sold + tickets_held + postal_reserve - postal_reserve_used <= total_tickets
  );

-- The reserve is a part of the terms: it stays from the first entry on, and what was taken of it is never given back.
CREATE TRIGGER offers_postal_reserve_stays BEFORE UPDATE OF postal_reserve_percent, postal_reserve_used ON offers
  FOR EACH ROW WHEN (
    (OLD.entered_at IS NOT NULL AND NEW.postal_reserve_percent <> OLD.postal_reserve_percent)
    OR NEW.postal_reserve_used < OLD.postal_reserve_used
  ) EXECUTE FUNCTION refuse_change();

-- Whoever enters by post needs no account.
ALTER TABLE tickets
  ALTER COLUMN user_id DROP NOT NULL,
  ADD CONSTRAINT tickets_bought_have_user CHECK (source = 'postal' OR user_id IS NOT NULL);

-- For people, like an order's number, with a P before it.
CREATE FUNCTION new_postal_number() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  characters CONSTANT text := '23456789ABCDEFGHJKMNPQRSTVWXYZ';
  made text;
BEGIN
  LOOP
    SELECT 'P' || string_agg(substr(characters, 1 + floor(random() * length(characters))::int, 1), '') INTO made
    FROM generate_series(1, 8);
    EXIT WHEN NOT EXISTS (SELECT FROM postal_entries WHERE number = made);
  END LOOP;
  RETURN made;
END $$;

-- One row for each letter or card that the desk has registered, with a number or refused. Personal data are erased after
-- the time for claims (KEEP_POST_DAYS); number, salt and decision stay.
CREATE TABLE postal_entries (
  -- Made by the desk's form, so that a repeated call registers once.
  id             uuid PRIMARY KEY,
  number         text NOT NULL DEFAULT new_postal_number() CHECK (number ~ '^P[2-9A-HJKMNP-TV-Z]{8}$'),
  offer_id       integer NOT NULL REFERENCES offers,
  -- The cards that somebody registers in a row.
  bag            uuid NOT NULL,
  status         text NOT NULL CHECK (status IN ('entered', 'refused')),
  refusal        text CHECK (refusal IN (
    'illegible', 'incomplete', 'cancelled', 'late', 'under_age', 'country', 'wrong_answer', 'duplicate', 'sold_out'
  )),
  -- The entry of the same person, of a duplicate.
  duplicate_of   uuid REFERENCES postal_entries,
  -- Similar entries that staff have judged to be of other people.
  other_than     uuid[] NOT NULL DEFAULT '{}',

  name           text CHECK (length(name) BETWEEN 1 AND 100),
  address        text[] CHECK (cardinality(address) BETWEEN 1 AND 3),
  postcode       text CHECK (length(postcode) BETWEEN 1 AND 12),
  city           text CHECK (length(city) BETWEEN 1 AND 60),
  country        text CHECK (country ~ '^[A-Z]{2}$'),
  date_of_birth  date,
  email          text CHECK (length(email) BETWEEN 3 AND 254),
  answer         text,
  language       text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),

  -- By the calendar of the shop's time zone.
  received_on    date NOT NULL,
  registered_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  registered_by  bigint NOT NULL REFERENCES users,
  letter_at      timestamptz,
  -- When the poster was told that the contest was cancelled.
  cancellation_told_at timestamptz,
  erased_at      timestamptz,

  ticket_number  integer,
  -- Of the commitment to this ticket (`ticketCommitment` in src/features/tickets/server/).
  salt           bytea CHECK (length(salt) = 32),

  -- SHA-256 of the normalised name, address and date of birth (src/features/postal/postal.rules.ts).
  person_key     bytea CHECK (length(person_key) = 32),
  postcode_key   text,
  -- The normalised words of name, postcode and city.
  words          text NOT NULL DEFAULT '',
  search         tsvector GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED,

  CONSTRAINT postal_entries_number_once UNIQUE (number),
  CONSTRAINT postal_entries_ticket_once UNIQUE (offer_id, ticket_number),
  CONSTRAINT postal_entries_ticket FOREIGN KEY (offer_id, ticket_number) REFERENCES tickets (offer_id, number),
  CONSTRAINT postal_entries_decided CHECK (
    CASE status
      WHEN 'entered' THEN refusal IS NULL AND ticket_number IS NOT NULL AND salt IS NOT NULL
      ELSE refusal IS NOT NULL AND ticket_number IS NULL AND salt IS NULL
    END
  ),
  CONSTRAINT postal_entries_duplicate CHECK (duplicate_of IS NULL OR refusal = 'duplicate'),
  CONSTRAINT postal_entries_whole CHECK (
    status = 'refused' OR erased_at IS NOT NULL
    OR (name IS NOT NULL AND address IS NOT NULL AND postcode IS NOT NULL AND city IS NOT NULL
        AND country IS NOT NULL AND date_of_birth IS NOT NULL AND person_key IS NOT NULL AND postcode_key IS NOT NULL)
  ),
  CONSTRAINT postal_entries_erased CHECK (
    erased_at IS NULL
    OR (name IS NULL AND address IS NULL AND postcode IS NULL AND city IS NULL AND country IS NULL
        AND date_of_birth IS NULL AND email IS NULL AND answer IS NULL AND person_key IS NULL
        AND postcode_key IS NULL AND words = '')
  )
);
-- Once per person and contest. A refused entry does not count: whoever answered wrong may write again.
CREATE UNIQUE INDEX postal_entries_once ON postal_entries (offer_id, person_key) WHERE status = 'entered';
-- Similar entries of a contest.
CREATE INDEX postal_entries_by_birth ON postal_entries (offer_id, date_of_birth) WHERE status = 'entered';
CREATE INDEX postal_entries_by_postcode ON postal_entries (offer_id, postcode_key) WHERE status = 'entered';
-- Lists, the newest first.
CREATE INDEX postal_entries_newest ON postal_entries (registered_at DESC, id DESC);
CREATE INDEX postal_entries_of_offer ON postal_entries (offer_id, registered_at DESC, id DESC);
CREATE INDEX postal_entries_of_bag ON postal_entries (bag, registered_at DESC, id DESC);
CREATE INDEX postal_entries_refused ON postal_entries (registered_at DESC, id DESC) WHERE status = 'refused';
CREATE INDEX postal_entries_to_print ON postal_entries (registered_at DESC, id DESC)
  WHERE letter_at IS NULL AND email IS NULL AND name IS NOT NULL AND address IS NOT NULL AND city IS NOT NULL;
CREATE INDEX postal_entries_by_ticket ON postal_entries (ticket_number) WHERE ticket_number IS NOT NULL;
CREATE INDEX postal_entries_search ON postal_entries USING gin (search);
CREATE INDEX postal_entries_by_email ON postal_entries (lower(email)) WHERE email IS NOT NULL;
CREATE INDEX postal_entries_to_tell ON postal_entries (offer_id)
  WHERE status = 'entered' AND email IS NOT NULL AND cancellation_told_at IS NULL;
CREATE INDEX postal_entries_to_erase ON postal_entries (offer_id) WHERE erased_at IS NULL;

-- A decision stands: what an entry is, and its number, salt and contest, stay as they were registered.
CREATE TRIGGER postal_entries_decision_stays
  BEFORE UPDATE OF id, number, offer_id, status, refusal, ticket_number, salt, received_on, registered_at, registered_by
  ON postal_entries FOR EACH ROW WHEN (
    (OLD.id, OLD.number, OLD.offer_id, OLD.status, OLD.received_on, OLD.registered_at, OLD.registered_by)
      IS DISTINCT FROM
      (NEW.id, NEW.number, NEW.offer_id, NEW.status, NEW.received_on, NEW.registered_at, NEW.registered_by)
    OR OLD.refusal IS DISTINCT FROM NEW.refusal
    OR OLD.ticket_number IS DISTINCT FROM NEW.ticket_number
    OR OLD.salt IS DISTINCT FROM NEW.salt
  ) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER postal_entries_never_deleted BEFORE DELETE ON postal_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER postal_entries_never_emptied BEFORE TRUNCATE ON postal_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
