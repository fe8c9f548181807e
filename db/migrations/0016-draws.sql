-- Draws (docs/draw-v1.md): the terms of a contest, its log, its files and its attempts. Rows are only added, but for the
-- counters of a log.

ALTER TABLE offers
  DROP CONSTRAINT offers_state,
  ADD CONSTRAINT offers_state CHECK (
    state IN ('draft', 'scheduled', 'open', 'closed', 'listed', 'sealed', 'drawn', 'awarded', 'cancelled')
  );

-- A contest with a draw has published terms, which stay from its publication on; another one's from its first entry on.
DROP TRIGGER offers_terms_stay ON offers;
CREATE TRIGGER offers_terms_stay BEFORE UPDATE OF
    price_cents, total_tickets, max_per_person, prize_value_cents, end_date, draw_at, draw_terms, draw_terms_nl,
    draw_terms_en, question, question_nl, question_en, choices, correct_choice ON offers
  FOR EACH ROW WHEN (
    (OLD.entered_at IS NOT NULL OR (OLD.published_at IS NOT NULL AND OLD.draw_at IS NOT NULL)) AND (
      OLD.price_cents, OLD.total_tickets, OLD.max_per_person, OLD.prize_value_cents, OLD.end_date, OLD.draw_at,
      OLD.draw_terms, OLD.draw_terms_nl, OLD.draw_terms_en, OLD.question, OLD.question_nl, OLD.question_en, OLD.choices,
      OLD.correct_choice
    ) IS DISTINCT FROM (
      NEW.price_cents, NEW.total_tickets, NEW.max_per_person, NEW.prize_value_cents, NEW.end_date, NEW.draw_at,
      NEW.draw_terms, NEW.draw_terms_nl, NEW.draw_terms_en, NEW.question, NEW.question_nl, NEW.question_en, NEW.choices,
      NEW.correct_choice
    )
  ) EXECUTE FUNCTION refuse_change();
DROP TRIGGER offers_postal_reserve_stays ON offers;
CREATE TRIGGER offers_postal_reserve_stays BEFORE UPDATE OF postal_reserve_percent, postal_reserve_used ON offers
  FOR EACH ROW WHEN (
    ((OLD.entered_at IS NOT NULL OR (OLD.published_at IS NOT NULL AND OLD.draw_at IS NOT NULL))
      AND NEW.postal_reserve_percent <> OLD.postal_reserve_percent)
    OR NEW.postal_reserve_used < OLD.postal_reserve_used
  ) EXECUTE FUNCTION refuse_change();

-- No number is issued once a contest is sealed.
CREATE TRIGGER offers_sealed_issue_nothing BEFORE UPDATE OF tickets_sold ON offers
  FOR EACH ROW WHEN (NEW.tickets_sold > OLD.tickets_sold AND OLD.state IN ('sealed', 'drawn', 'awarded'))
  EXECUTE FUNCTION refuse_change();

-- Voids ---------------------------------------------------------------------------------------------------------------

ALTER TABLE tickets
  -- A reason of docs/draw-v1.md, section 4.
  ADD COLUMN void_reason text;
UPDATE tickets SET void_reason = CASE WHEN given_up_at IS NULL THEN 'refunded' ELSE 'withdrawn' END WHERE status = 'void';
ALTER TABLE tickets
  ADD CONSTRAINT tickets_void_for_a_reason CHECK ((status = 'void') = (void_reason IS NOT NULL)),
  ADD CONSTRAINT tickets_void_reason CHECK (
    void_reason IN ('refunded', 'disputed', 'withdrawn', 'under-age', 'excluded', 'staff', 'postal-rule')
  );
CREATE TRIGGER tickets_void_stay_void BEFORE UPDATE OF status ON tickets
  FOR EACH ROW WHEN (OLD.status = 'void' AND NEW.status <> 'void') EXECUTE FUNCTION refuse_change();

-- Each number that became void, until its leaf is in the log.
CREATE TABLE draw_voids (
  offer_id   integer NOT NULL,
  number     integer NOT NULL,
  reason     text NOT NULL,
  -- Null until the leaf is appended.
  leaf_index integer,
  PRIMARY KEY (offer_id, number),
  FOREIGN KEY (offer_id, number) REFERENCES tickets (offer_id, number)
);
CREATE INDEX draw_voids_to_log ON draw_voids (offer_id, number) WHERE leaf_index IS NULL;
INSERT INTO draw_voids (offer_id, number, reason) SELECT offer_id, number, void_reason FROM tickets WHERE status = 'void';
CREATE FUNCTION note_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO draw_voids (offer_id, number, reason) VALUES (NEW.offer_id, NEW.number, NEW.void_reason);
  RETURN NULL;
END $$;
CREATE TRIGGER tickets_note_void AFTER UPDATE OF status ON tickets
  FOR EACH ROW WHEN (OLD.status <> 'void' AND NEW.status = 'void') EXECUTE FUNCTION note_void();
-- Of a demonstration's history.
CREATE TRIGGER tickets_note_void_at_issue AFTER INSERT ON tickets
  FOR EACH ROW WHEN (NEW.status = 'void') EXECUTE FUNCTION note_void();
CREATE TRIGGER draw_voids_stay BEFORE UPDATE ON draw_voids
  FOR EACH ROW WHEN (
    OLD.leaf_index IS NOT NULL OR (OLD.offer_id, OLD.number, OLD.reason) IS DISTINCT FROM (NEW.offer_id, NEW.number, NEW.reason)
  ) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_voids_never_deleted BEFORE DELETE ON draw_voids
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_voids_never_emptied BEFORE TRUNCATE ON draw_voids
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Terms ---------------------------------------------------------------------------------------------------------------

-- A row for each contest with published terms: instants and durations of its `terms.txt`, for the jobs.
CREATE TABLE draws (
  offer_id                integer PRIMARY KEY REFERENCES offers,
  terms_hash              bytea NOT NULL CHECK (length(terms_hash) = 32),
  draw_at                 timestamptz NOT NULL,
  objections_seconds      integer NOT NULL CHECK (objections_seconds >= 1),
  seal_margin_seconds     integer NOT NULL CHECK (seal_margin_seconds >= 1),
  beacon_patience_seconds integer NOT NULL CHECK (beacon_patience_seconds >= 0),
  claim_seconds           integer NOT NULL CHECK (claim_seconds >= 1),
  alternate_delay_seconds integer NOT NULL CHECK (alternate_delay_seconds >= 1),
  alternates_decided      integer NOT NULL CHECK (alternates_decided >= 0),
  published_at            timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Logs ----------------------------------------------------------------------------------------------------------------

-- An append-only log: 0 is the register of the shop, another one that of the contest with this id. A transaction that
-- appends holds the lock of this row.
CREATE TABLE draw_logs (
  id      integer PRIMARY KEY CHECK (id >= 0),
  origin  text NOT NULL UNIQUE,
  -- Of the signatures, as terms name it: NAME+KEYID+KEY.
  key     text NOT NULL CHECK (key <> ''),
  size    integer NOT NULL DEFAULT 0 CHECK (size >= 0),
  -- How many of its leaves are entries: the running count of issued numbers from which the next one is appended.
  entries integer NOT NULL DEFAULT 0 CHECK (entries BETWEEN 0 AND size)
);
CREATE TRIGGER draw_logs_only_grow BEFORE UPDATE ON draw_logs
  FOR EACH ROW WHEN (
    (NEW.id, NEW.origin, NEW.key) IS DISTINCT FROM (OLD.id, OLD.origin, OLD.key)
    OR NEW.size < OLD.size OR NEW.entries < OLD.entries
  ) EXECUTE FUNCTION refuse_change();

CREATE TABLE draw_leaves (
  log_id integer NOT NULL REFERENCES draw_logs,
  index  integer NOT NULL CHECK (index >= 0),
  leaf   text NOT NULL CHECK (leaf <> ''),
  PRIMARY KEY (log_id, index)
);
-- The few leaves that are neither an entry nor a void.
CREATE INDEX draw_leaves_of_steps ON draw_leaves (log_id, index)
  WHERE split_part(leaf, '-', 2) NOT IN ('entry', 'void');

-- Full tiles of 256 hashes (src/draw-protocol/tiles.ts), with the root of each.
CREATE TABLE draw_tiles (
  log_id integer NOT NULL REFERENCES draw_logs,
  level  smallint NOT NULL CHECK (level >= 0),
  index  integer NOT NULL CHECK (index >= 0),
  hashes bytea NOT NULL CHECK (length(hashes) = 8192),
  root   bytea NOT NULL CHECK (length(root) = 32),
  PRIMARY KEY (log_id, level, index)
);

CREATE TABLE draw_checkpoints (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  log_id integer NOT NULL REFERENCES draw_logs,
  size   integer NOT NULL CHECK (size >= 0),
  root   bytea NOT NULL CHECK (length(root) = 32),
  -- Whole seconds, as signed.
  at     timestamptz NOT NULL,
  -- The signed note.
  note   text NOT NULL
);
CREATE INDEX draw_checkpoints_of_log ON draw_checkpoints (log_id, id);
-- The first checkpoint that contains a leaf.
CREATE INDEX draw_checkpoints_by_size ON draw_checkpoints (log_id, size, id);

-- What belongs to an entry's leaf and only its holder knows.
CREATE TABLE draw_entries (
  offer_id   integer NOT NULL,
  number     integer NOT NULL,
  leaf_index integer NOT NULL CHECK (leaf_index >= 0),
  salt       bytea NOT NULL CHECK (length(salt) = 32),
  PRIMARY KEY (offer_id, number),
  FOREIGN KEY (offer_id, number) REFERENCES tickets (offer_id, number)
);

-- Files ---------------------------------------------------------------------------------------------------------------

-- Files of the evidence pack that are made once (section 11): terms, question, texts, lists, beacon, results, forfeitures.
CREATE TABLE draw_files (
  offer_id integer NOT NULL REFERENCES draws,
  name     text NOT NULL CHECK (name ~ '^[a-z]+(-[a-z0-9]+)*\.(txt|json)$'),
  sha256   bytea NOT NULL CHECK (length(sha256) = 32),
  bytes    bigint NOT NULL CHECK (bytes > 0),
  made_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (offer_id, name)
);
CREATE TABLE draw_file_parts (
  offer_id integer NOT NULL,
  name     text NOT NULL,
  part     integer NOT NULL CHECK (part >= 0),
  content  bytea NOT NULL CHECK (length(content) BETWEEN 1 AND 1048576),
  PRIMARY KEY (offer_id, name, part),
  -- The hash of a long file is known after its parts.
  FOREIGN KEY (offer_id, name) REFERENCES draw_files DEFERRABLE INITIALLY DEFERRED
);

-- Figures of the provisional and the sealed list, as in their headers.
CREATE TABLE draw_lists (
  offer_id   integer NOT NULL,
  name       text NOT NULL CHECK (name IN ('provisional.txt', 'list.txt')),
  -- Index of the leaf that names the list.
  leaf_index integer NOT NULL,
  log_root   bytea NOT NULL CHECK (length(log_root) = 32),
  -- Of the sealed list.
  list_root  bytea CHECK (length(list_root) = 32),
  paid       integer NOT NULL,
  postal     integer NOT NULL,
  demo       integer NOT NULL,
  valid      integer NOT NULL,
  PRIMARY KEY (offer_id, name),
  FOREIGN KEY (offer_id, name) REFERENCES draw_files,
  CONSTRAINT draw_lists_sealed_has_root CHECK ((name = 'list.txt') = (list_root IS NOT NULL))
);

-- Attempts ------------------------------------------------------------------------------------------------------------

CREATE TABLE draw_attempts (
  offer_id   integer NOT NULL REFERENCES draws,
  attempt    smallint NOT NULL CHECK (attempt >= 0),
  round      bigint NOT NULL CHECK (round >= 1),
  round_at   timestamptz NOT NULL,
  -- Null until the round is there.
  drawn_at   timestamptz,
  -- Where the round was read.
  relay      text,
  randomness bytea CHECK (length(randomness) = 32),
  number     integer,
  PRIMARY KEY (offer_id, attempt),
  FOREIGN KEY (offer_id, number) REFERENCES draw_entries (offer_id, number),
  CONSTRAINT draw_attempts_drawn_whole CHECK (num_nulls(drawn_at, relay, randomness, number) IN (0, 4))
);
CREATE INDEX draw_attempts_to_draw ON draw_attempts (round_at) WHERE drawn_at IS NULL;
CREATE TRIGGER draw_attempts_stay BEFORE UPDATE ON draw_attempts
  FOR EACH ROW WHEN (
    OLD.drawn_at IS NOT NULL
    OR (OLD.offer_id, OLD.attempt, OLD.round, OLD.round_at) IS DISTINCT FROM (NEW.offer_id, NEW.attempt, NEW.round, NEW.round_at)
  ) EXECUTE FUNCTION refuse_change();

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['draws', 'draw_leaves', 'draw_tiles', 'draw_checkpoints', 'draw_entries', 'draw_files',
                              'draw_file_parts', 'draw_lists'] LOOP
    EXECUTE format(
      'CREATE TRIGGER %1$s_only_grow BEFORE UPDATE OR DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['draw_logs', 'draw_attempts'] LOOP
    EXECUTE format(
      'CREATE TRIGGER %1$s_never_deleted BEFORE DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['draws', 'draw_logs', 'draw_leaves', 'draw_tiles', 'draw_checkpoints', 'draw_entries',
                              'draw_files', 'draw_file_parts', 'draw_lists', 'draw_attempts'] LOOP
    EXECUTE format(
      'CREATE TRIGGER %1$s_never_emptied BEFORE TRUNCATE ON %1$s FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;
