-- Words as data (ADR 0116): a text is one value with all its languages.
-- Going back: yes

-- {"fr": "Coupé rouge", "nl": "Rode coupé"}: a missing translation has no key; French, which stands in, always has one.
CREATE DOMAIN localized_text AS jsonb CHECK (
  jsonb_typeof(VALUE) = 'object' AND VALUE ? 'fr'
  AND NOT jsonb_path_exists(VALUE, '$.keyvalue() ? (
    !(@.key like_regex "^[a-z]{2}$") || @.value.type() != "string" || (@.key != "fr" && @.value == "")
  )')
);

CREATE FUNCTION to_localized_text(french text, dutch text, english text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'fr', coalesce(french, ''), 'nl', nullif(dutch, ''), 'en', nullif(english, '')
  ))
$$;

-- The release before writes and reads a column for each language. A later migration drops them, with these two functions.
ALTER TABLE offers
  ADD COLUMN titles localized_text NOT NULL DEFAULT '{"fr": ""}',
  ADD COLUMN descriptions localized_text NOT NULL DEFAULT '{"fr": ""}',
  ADD COLUMN draw_terms_texts localized_text NOT NULL DEFAULT '{"fr": ""}',
  ADD COLUMN questions localized_text;
UPDATE offers SET
  titles = to_localized_text(title, title_nl, title_en),
  descriptions = to_localized_text(description, description_nl, description_en),
  draw_terms_texts = to_localized_text(draw_terms, draw_terms_nl, draw_terms_en),
  questions = nullif(to_localized_text(question, question_nl, question_en), '{"fr": ""}');
ALTER TABLE offers
  ALTER COLUMN titles DROP DEFAULT,
  ALTER COLUMN title SET DEFAULT '',
  DROP CONSTRAINT offers_only_drafts_lack_something,
  ADD CONSTRAINT offers_only_drafts_lack_something CHECK (
    state = 'draft'
    OR (titles ->> 'fr' <> '' AND num_nulls(slug, price_cents, total_tickets, end_date) = 0)
  ),
  -- A draft keeps a question whose answer is not chosen yet.
  DROP CONSTRAINT offers_question_answerable,
  ADD CONSTRAINT offers_question_answerable CHECK (
    state = 'draft'
    OR (questions IS NULL AND correct_choice IS NULL)
    OR (questions ->> 'fr' <> '' AND correct_choice = ANY (choices))
  );

CREATE FUNCTION keep_offer_texts_in_step() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  isEarlierRelease boolean := CASE TG_OP
    WHEN 'INSERT' THEN concat(
      NEW.title, NEW.title_nl, NEW.title_en, NEW.description, NEW.description_nl, NEW.description_en,
      NEW.draw_terms, NEW.draw_terms_nl, NEW.draw_terms_en, NEW.question, NEW.question_nl, NEW.question_en) <> ''
    ELSE (
      NEW.title, NEW.title_nl, NEW.title_en, NEW.description, NEW.description_nl, NEW.description_en,
      NEW.draw_terms, NEW.draw_terms_nl, NEW.draw_terms_en, NEW.question, NEW.question_nl, NEW.question_en
    ) IS DISTINCT FROM (
      OLD.title, OLD.title_nl, OLD.title_en, OLD.description, OLD.description_nl, OLD.description_en,
      OLD.draw_terms, OLD.draw_terms_nl, OLD.draw_terms_en, OLD.question, OLD.question_nl, OLD.question_en
    )
  END;
BEGIN
  IF isEarlierRelease THEN
    NEW.titles := to_localized_text(NEW.title, NEW.title_nl, NEW.title_en);
    NEW.descriptions := to_localized_text(NEW.description, NEW.description_nl, NEW.description_en);
    NEW.draw_terms_texts := to_localized_text(NEW.draw_terms, NEW.draw_terms_nl, NEW.draw_terms_en);
    NEW.questions := nullif(to_localized_text(NEW.question, NEW.question_nl, NEW.question_en), '{"fr": ""}');
  ELSE
    NEW.title := NEW.titles ->> 'fr';
    NEW.title_nl := coalesce(NEW.titles ->> 'nl', '');
    NEW.title_en := coalesce(NEW.titles ->> 'en', '');
    NEW.description := NEW.descriptions ->> 'fr';
    NEW.description_nl := coalesce(NEW.descriptions ->> 'nl', '');
    NEW.description_en := coalesce(NEW.descriptions ->> 'en', '');
    NEW.draw_terms := NEW.draw_terms_texts ->> 'fr';
    NEW.draw_terms_nl := coalesce(NEW.draw_terms_texts ->> 'nl', '');
    NEW.draw_terms_en := coalesce(NEW.draw_terms_texts ->> 'en', '');
    NEW.question := nullif(NEW.questions ->> 'fr', '');
    NEW.question_nl := NEW.questions ->> 'nl';
    NEW.question_en := NEW.questions ->> 'en';
  END IF;
  RETURN NEW;
END $$;
-- Before the triggers that compare texts, by its name.
CREATE TRIGGER offers_keep_texts_in_step BEFORE INSERT OR UPDATE OF
    titles, descriptions, draw_terms_texts, questions,
    title, title_nl, title_en, description, description_nl, description_en,
    draw_terms, draw_terms_nl, draw_terms_en, question, question_nl, question_en ON offers
  FOR EACH ROW EXECUTE FUNCTION keep_offer_texts_in_step();

ALTER TABLE offer_pictures ADD COLUMN alts localized_text NOT NULL DEFAULT '{"fr": ""}';
-- A table of files that somebody has entered for changes with a consent only; its words do not change.
ALTER TABLE offer_pictures DISABLE TRIGGER USER;
UPDATE offer_pictures SET alts = to_localized_text(alt_fr, alt_nl, alt_en);
ALTER TABLE offer_pictures ENABLE TRIGGER USER;

CREATE FUNCTION keep_picture_texts_in_step() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  isEarlierRelease boolean := CASE TG_OP
    WHEN 'INSERT' THEN concat(NEW.alt_fr, NEW.alt_nl, NEW.alt_en) <> ''
    ELSE (NEW.alt_fr, NEW.alt_nl, NEW.alt_en) IS DISTINCT FROM (OLD.alt_fr, OLD.alt_nl, OLD.alt_en)
  END;
BEGIN
  IF isEarlierRelease THEN
    NEW.alts := to_localized_text(NEW.alt_fr, NEW.alt_nl, NEW.alt_en);
  ELSE
    NEW.alt_fr := NEW.alts ->> 'fr';
    NEW.alt_nl := coalesce(NEW.alts ->> 'nl', '');
    NEW.alt_en := coalesce(NEW.alts ->> 'en', '');
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER offer_pictures_keep_texts_in_step BEFORE INSERT OR UPDATE OF alts, alt_fr, alt_nl, alt_en ON offer_pictures
  FOR EACH ROW EXECUTE FUNCTION keep_picture_texts_in_step();

-- What holds a text holds it in every language.

DROP TRIGGER offers_terms_stay ON offers;
CREATE TRIGGER offers_terms_stay BEFORE UPDATE OF
    price_cents, total_tickets, max_per_person, prize_value_cents, end_date, draw_at, choices, correct_choice,
    draw_terms_texts, draw_terms, draw_terms_nl, draw_terms_en, questions, question, question_nl, question_en ON offers
  FOR EACH ROW WHEN (
    (OLD.entered_at IS NOT NULL OR (OLD.published_at IS NOT NULL AND OLD.draw_at IS NOT NULL)) AND (
      OLD.price_cents, OLD.total_tickets, OLD.max_per_person, OLD.prize_value_cents, OLD.end_date, OLD.draw_at,
      OLD.draw_terms_texts, OLD.questions, OLD.choices, OLD.correct_choice
    ) IS DISTINCT FROM (
      NEW.price_cents, NEW.total_tickets, NEW.max_per_person, NEW.prize_value_cents, NEW.end_date, NEW.draw_at,
      NEW.draw_terms_texts, NEW.questions, NEW.choices, NEW.correct_choice
    )
  ) EXECUTE FUNCTION refuse_change();

DROP TRIGGER offers_texts_stay ON offers;
CREATE TRIGGER offers_texts_stay BEFORE UPDATE OF
    titles, descriptions, title, title_nl, title_en, description, description_nl, description_en ON offers
  FOR EACH ROW WHEN (
    OLD.entered_at IS NOT NULL AND (OLD.titles, OLD.descriptions) IS DISTINCT FROM (NEW.titles, NEW.descriptions)
  ) EXECUTE FUNCTION require_recorded_texts();
DROP TRIGGER offers_texts_are_recorded ON offers;
CREATE CONSTRAINT TRIGGER offers_texts_are_recorded AFTER UPDATE OF
    titles, descriptions, title, title_nl, title_en, description, description_nl, description_en ON offers
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.entered_at IS NOT NULL) EXECUTE FUNCTION require_recorded_result();

DROP TRIGGER offer_pictures_stay ON offer_pictures;
CREATE TRIGGER offer_pictures_stay BEFORE UPDATE ON offer_pictures
  FOR EACH ROW WHEN (
    (OLD.offer_id, OLD.position, OLD.picture_id, OLD.rendition_id, OLD.focal_x, OLD.focal_y, OLD.alts)
      IS DISTINCT FROM
        (NEW.offer_id, NEW.position, NEW.picture_id, NEW.rendition_id, NEW.focal_x, NEW.focal_y, NEW.alts)
    OR (OLD.src <> NEW.src AND NEW.src IS DISTINCT FROM '/media/p/' || NEW.rendition_id)
    OR (NEW.picture_id IS NULL AND (OLD.widths, OLD.width, OLD.height, OLD.color)
      IS DISTINCT FROM (NEW.widths, NEW.width, NEW.height, NEW.color))
  ) EXECUTE FUNCTION require_recorded_pictures();

-- The fields of a text in a record of a change: title, title_nl, title_en. Records before this migration have all three.
CREATE FUNCTION text_fields(field text, texts jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object(field || '_nl', '', field || '_en', '')
    || jsonb_object_agg(field || CASE key WHEN 'fr' THEN '' ELSE '_' || key END, value)
  FROM jsonb_each(texts)
$$;
CREATE OR REPLACE FUNCTION offer_description(contest integer) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT text_fields('title', o.titles) || text_fields('description', o.descriptions) || jsonb_build_object(
    'pictures', coalesce((
      SELECT jsonb_agg(jsonb_build_object(
        'file', CASE WHEN p.picture_id IS NULL THEN jsonb_build_object(
          'src', p.src, 'widths', p.widths, 'width', p.width, 'height', p.height, 'color', p.color) END,
        'picture', p.picture_id, 'rendition', p.rendition_id, 'focal_x', p.focal_x, 'focal_y', p.focal_y
      ) || (text_fields('alt', p.alts) - 'alt') || jsonb_build_object('alt_fr', p.alts ->> 'fr') ORDER BY p.position)
      FROM offer_pictures p WHERE p.offer_id = o.id
    ), '[]')
  )
  FROM offers o WHERE o.id = contest
$$;

DO $$
DECLARE
  field text;
BEGIN
  FOREACH field IN ARRAY ARRAY['title', 'description', 'draw_terms', 'question'] LOOP
    EXECUTE format('COMMENT ON COLUMN offers.%I IS %L', field, 'Of the release before');
    EXECUTE format('COMMENT ON COLUMN offers.%I IS %L', field || '_nl', 'Of the release before');
    EXECUTE format('COMMENT ON COLUMN offers.%I IS %L', field || '_en', 'Of the release before');
  END LOOP;
END $$;
COMMENT ON COLUMN offer_pictures.alt_fr IS 'Of the release before';
COMMENT ON COLUMN offer_pictures.alt_nl IS 'Of the release before';
COMMENT ON COLUMN offer_pictures.alt_en IS 'Of the release before';
