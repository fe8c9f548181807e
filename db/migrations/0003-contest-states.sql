-- The life of a contest (src/features/offers/offer-states.rules.ts), its terms, and who may change which of them when.

ALTER TABLE offers
  DROP CONSTRAINT offers_cancelled_are_closed,
  DROP CONSTRAINT offers_title_check,
  ADD COLUMN state text NOT NULL DEFAULT 'draft'
    CONSTRAINT offers_state CHECK (state IN ('draft', 'scheduled', 'open', 'closed', 'cancelled')),
  -- When a scheduled contest opens; null when staff open it by hand.
  ADD COLUMN opens_at timestamptz,
  -- When it was first open to everybody.
  ADD COLUMN published_at timestamptz,
  -- When its first ticket was held or issued: its terms are locked from then on, whatever becomes of that ticket.
  ADD COLUMN entered_at timestamptz,
  -- Increases with every change of the row by staff, and with every move.
  ADD COLUMN version integer NOT NULL DEFAULT 1 CHECK (version > 0),
  -- The most tickets of one person; null for no limit.
  ADD COLUMN max_per_person integer CHECK (max_per_person >= 1),
  ADD COLUMN prize_value_cents integer CHECK (prize_value_cents > 0),
  ADD COLUMN draw_at timestamptz,
  ADD COLUMN draw_terms text NOT NULL DEFAULT '',
  ADD COLUMN draw_terms_nl text NOT NULL DEFAULT '',
  ADD COLUMN draw_terms_en text NOT NULL DEFAULT '';

UPDATE offers SET
  state = CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled'
               WHEN active AND end_date > now() THEN 'open'
               ELSE 'closed' END,
  published_at = created_at,
  entered_at = CASE WHEN tickets_sold > 0 OR tickets_held > 0 OR EXISTS (SELECT FROM order_lines l WHERE l.offer_id = offers.id)
                    THEN created_at END;

-- A draft may lack everything. `active` is what it always was, and follows the state.
ALTER TABLE offers
  DROP COLUMN active,
  ADD COLUMN active boolean NOT NULL GENERATED ALWAYS AS (state = 'open') STORED,
  ALTER COLUMN slug DROP NOT NULL,
  ALTER COLUMN price_cents DROP NOT NULL,
  ALTER COLUMN total_tickets DROP NOT NULL,
  ALTER COLUMN end_date DROP NOT NULL,
  ADD CONSTRAINT offers_only_drafts_lack_something CHECK (
    state = 'draft'
    OR (title <> '' AND num_nulls(slug, price_cents, total_tickets, end_date) = 0)
  ),
  ADD CONSTRAINT offers_public_ones_were_published CHECK ((state IN ('draft', 'scheduled')) = (published_at IS NULL)),
  ADD CONSTRAINT offers_scheduled_have_a_time CHECK (state <> 'scheduled' OR opens_at IS NOT NULL),
  ADD CONSTRAINT offers_cancelled_have_the_state CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
  ADD CONSTRAINT offers_drawn_after_the_end CHECK (state = 'draft' OR draw_at > end_date);
-- A draft keeps a question whose answer is not chosen yet.
ALTER TABLE offers
  DROP CONSTRAINT offers_question_answerable,
  ADD CONSTRAINT offers_question_answerable CHECK (
    state = 'draft'
    OR (question IS NULL AND correct_choice IS NULL)
    OR (question IS NOT NULL AND correct_choice = ANY (choices))
  );

CREATE INDEX offers_to_open ON offers (opens_at) WHERE state = 'scheduled';
CREATE INDEX offers_to_close ON offers (end_date) WHERE state = 'open';

-- Terms -------------------------------------------------------------------------------------------------------------------

-- Evaluated without a call of a function in all purchases but the first.
CREATE FUNCTION mark_first_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.entered_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER offers_mark_first_entry BEFORE INSERT OR UPDATE ON offers
  FOR EACH ROW WHEN (NEW.entered_at IS NULL AND (NEW.tickets_sold > 0 OR NEW.tickets_held > 0))
  EXECUTE FUNCTION mark_first_entry();
CREATE TRIGGER offers_first_entry_stays BEFORE UPDATE OF entered_at ON offers
  FOR EACH ROW WHEN (OLD.entered_at IS NOT NULL AND NEW.entered_at IS DISTINCT FROM OLD.entered_at)
  EXECUTE FUNCTION refuse_change();

-- What somebody has entered for. A trigger "OF" columns is not looked at when others change, as purchases do.
CREATE TRIGGER offers_terms_stay BEFORE UPDATE OF
    price_cents, total_tickets, max_per_person, prize_value_cents, end_date, draw_at, draw_terms, draw_terms_nl,
    draw_terms_en, question, question_nl, question_en, choices, correct_choice ON offers
  FOR EACH ROW WHEN (
    OLD.entered_at IS NOT NULL AND (
      OLD.price_cents, OLD.total_tickets, OLD.max_per_person, OLD.prize_value_cents, OLD.end_date, OLD.draw_at,
      OLD.draw_terms, OLD.draw_terms_nl, OLD.draw_terms_en, OLD.question, OLD.question_nl, OLD.question_en, OLD.choices,
      OLD.correct_choice
    ) IS DISTINCT FROM (
      NEW.price_cents, NEW.total_tickets, NEW.max_per_person, NEW.prize_value_cents, NEW.end_date, NEW.draw_at,
      NEW.draw_terms, NEW.draw_terms_nl, NEW.draw_terms_en, NEW.question, NEW.question_nl, NEW.question_en, NEW.choices,
      NEW.correct_choice
    )
  ) EXECUTE FUNCTION refuse_change();

-- Its address is printed on tickets, and its key decides the numbers.
DROP TRIGGER offers_numbers_stay ON offers;
CREATE TRIGGER offers_address_and_key_stay BEFORE UPDATE OF slug, number_key, published_at ON offers
  FOR EACH ROW WHEN (
    (OLD.published_at IS NOT NULL OR OLD.entered_at IS NOT NULL)
    AND (OLD.slug, OLD.number_key, OLD.published_at) IS DISTINCT FROM (NEW.slug, NEW.number_key, NEW.published_at)
  ) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER offers_only_drafts_go BEFORE DELETE ON offers
  FOR EACH ROW WHEN (OLD.state <> 'draft' OR OLD.entered_at IS NOT NULL) EXECUTE FUNCTION refuse_change();

-- Moves -------------------------------------------------------------------------------------------------------------------

-- Every move of a contest, in sequence. Rows are only added; those of a deleted draft stay, so nothing refers to offers.
CREATE TABLE offer_events (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  offer_id    integer NOT NULL,
  -- A name of src/features/offers/offer-states.rules.ts.
  event       text NOT NULL CONSTRAINT offer_events_event_is_a_name CHECK (event ~ '^[a-zA-Z]+$'),
  -- Null before the first event.
  from_state  text,
  to_state    text NOT NULL,
  actor       text NOT NULL CHECK (actor IN ('staff', 'system', 'command line')),
  user_id     bigint REFERENCES users,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT offer_events_staff_have_a_name CHECK ((actor = 'staff') = (user_id IS NOT NULL))
);
CREATE INDEX offer_events_offer ON offer_events (offer_id, id);
CREATE TRIGGER offer_events_only_grow BEFORE UPDATE OR DELETE ON offer_events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER offer_events_never_emptied BEFORE TRUNCATE ON offer_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

INSERT INTO offer_events (offer_id, event, from_state, to_state, actor, at)
SELECT o.id, e.event, e.from_state, e.to_state, 'system', coalesce(o.cancelled_at, o.created_at)
FROM offers o
CROSS JOIN (VALUES
  (1, 'create', NULL, 'draft', NULL),
  (2, 'publish', 'draft', 'open', NULL),
  (3, 'close', 'open', 'closed', 'closed'),
  (3, 'cancel', 'open', 'cancelled', 'cancelled')
) AS e (step, event, from_state, to_state, only_of)
WHERE e.only_of IS NULL OR e.only_of = o.state
ORDER BY o.id, e.step;

-- Sales of a contest by day.
CREATE INDEX tickets_sales ON tickets (offer_id, issued_at);
