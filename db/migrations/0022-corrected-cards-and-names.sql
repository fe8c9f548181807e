-- Letters about numbers that became void, cards that are corrected or voided (ADR 0069), and names found by any word.

-- Entries whose number became void ------------------------------------------------------------------------------------

ALTER TABLE postal_entries RENAME COLUMN cancellation_told_at TO void_told_at;
ALTER TABLE postal_entries
  -- When its number became void: its contest was cancelled, or two people voided it.
  ADD COLUMN voided_at timestamptz,
  -- Why two people did.
  ADD COLUMN void_ground text CHECK (void_ground IN ('mistake', 'duplicate', 'late', 'rule')),
  -- When the letter about that was printed; `letter_at` is that of the first one.
  ADD COLUMN void_letter_at timestamptz,
  ADD CONSTRAINT postal_entries_void CHECK (
    (voided_at IS NULL OR status = 'entered')
    AND ((void_ground IS NULL AND void_letter_at IS NULL AND void_told_at IS NULL) OR voided_at IS NOT NULL)
  ) NOT VALID;
UPDATE postal_entries e SET voided_at = coalesce(o.cancelled_at, e.registered_at),
  void_letter_at = CASE WHEN e.letter_at >= o.cancelled_at THEN e.letter_at END
  FROM tickets t JOIN offers o ON o.id = t.offer_id
  WHERE t.offer_id = e.offer_id AND t.number = e.ticket_number AND t.status = 'void';
ALTER TABLE postal_entries VALIDATE CONSTRAINT postal_entries_void;

-- Whoever voids a ticket by post, its poster is told.
CREATE FUNCTION note_postal_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE postal_entries SET voided_at = clock_timestamp()
  WHERE offer_id = NEW.offer_id AND ticket_number = NEW.number AND voided_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER tickets_note_postal_void AFTER UPDATE OF status ON tickets
  FOR EACH ROW WHEN (NEW.source = 'postal' AND OLD.status <> 'void' AND NEW.status = 'void')
  EXECUTE FUNCTION note_postal_void();

-- Whose entry was voided may enter once more.
DROP INDEX postal_entries_once;
CREATE UNIQUE INDEX postal_entries_once ON postal_entries (offer_id, person_key)
  WHERE status = 'entered' AND voided_at IS NULL;
DROP INDEX postal_entries_to_print;
CREATE INDEX postal_entries_to_print ON postal_entries (registered_at DESC, id DESC)
  WHERE (letter_at IS NULL OR (voided_at IS NOT NULL AND void_letter_at IS NULL))
    AND email IS NULL AND name IS NOT NULL AND address IS NOT NULL AND city IS NOT NULL;
DROP INDEX postal_entries_to_tell;
CREATE INDEX postal_entries_to_tell ON postal_entries (id)
  WHERE voided_at IS NOT NULL AND email IS NOT NULL AND void_told_at IS NULL;

-- Corrections ---------------------------------------------------------------------------------------------------------

-- What staff corrected of how a card was read. The former text is kept nowhere.
CREATE TABLE postal_corrections (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entry_id uuid NOT NULL REFERENCES postal_entries,
  fields   text[] NOT NULL CHECK (cardinality(fields) >= 1),
  -- Null once the personal data of the entry are erased.
  reason   text CHECK (length(reason) BETWEEN 1 AND 200),
  made_by  bigint NOT NULL REFERENCES users,
  made_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX postal_corrections_of_entry ON postal_corrections (entry_id, id);

-- Names ---------------------------------------------------------------------------------------------------------------

-- The words of a name in lower case, without accents and punctuation: "Zoé Lambert-Ost" is {zoe,lambert,ost}.
CREATE FUNCTION name_words(name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_remove(
  regexp_split_to_array(
    replace(replace(replace(replace(
      translate(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g')), 'øłđðħı', 'olddhi'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    '[\s\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]+'
  ),
  ''
);
-- Strict and dear, so that it stays a call, and the planner does not make it for each row of the table.
CREATE FUNCTION name_search(name text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000
RETURN array_to_tsvector(name_words(name));
-- Names with words that begin with all of these. Null for less than three letters, which would find too many.
CREATE FUNCTION name_query(typed text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT CASE WHEN max(length(word)) >= 3 THEN string_agg('''' || word || ''':*', ' & ')::tsquery END
  FROM unnest(name_words(typed)) AS word
);
CREATE INDEX users_name_words ON users USING gin (name_search(username));
