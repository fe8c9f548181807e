-- What tells people what the prize is changes after the first entry with the consent of a second person only, and every
-- such change stays readable (ADR 0096).

-- Titles, descriptions and pictures of a contest as staff decided them, without what jobs make of a picture.
CREATE FUNCTION offer_description(contest integer) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'title', o.title, 'title_nl', o.title_nl, 'title_en', o.title_en,
    'description', o.description, 'description_nl', o.description_nl, 'description_en', o.description_en,
    'pictures', coalesce((
      SELECT jsonb_agg(jsonb_build_object(
        'file', CASE WHEN p.picture_id IS NULL THEN jsonb_build_object(
          'src', p.src, 'widths', p.widths, 'width', p.width, 'height', p.height, 'color', p.color) END,
        'picture', p.picture_id, 'rendition', p.rendition_id, 'focal_x', p.focal_x, 'focal_y', p.focal_y,
        'alt_fr', p.alt_fr, 'alt_nl', p.alt_nl, 'alt_en', p.alt_en
      ) ORDER BY p.position)
      FROM offer_pictures p WHERE p.offer_id = o.id
    ), '[]')
  )
  FROM offers o WHERE o.id = contest
$$;

-- Each change after the first entry: `offer_description` before and after it.
CREATE TABLE offer_changes (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  offer_id       integer NOT NULL REFERENCES offers,
  approval_id    bigint NOT NULL UNIQUE REFERENCES approvals,
  requested_by   bigint NOT NULL REFERENCES users,
  -- The same person where nobody else could consent.
  approved_by    bigint NOT NULL REFERENCES users,
  before         jsonb NOT NULL,
  after          jsonb NOT NULL,
  at             timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The transaction that may make the change.
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT offer_changes_change_something CHECK (before <> after)
);
CREATE INDEX offer_changes_offer ON offer_changes (offer_id, id);
CREATE TRIGGER offer_changes_only_grow BEFORE UPDATE OR DELETE ON offer_changes
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER offer_changes_never_emptied BEFORE TRUNCATE ON offer_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A record needs the consent to this very change, of what is stored now.
CREATE FUNCTION require_consent_to_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.transaction_id <> pg_current_xact_id() OR NEW.before IS DISTINCT FROM offer_description(NEW.offer_id) THEN
    RAISE EXCEPTION 'contest % is described otherwise than the change says', NEW.offer_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  IF NOT EXISTS (
    SELECT FROM approvals a
    WHERE a.id = NEW.approval_id AND a.permission = 'offers.describe' AND a.decision IN ('approved', 'alone')
      AND a.subject_kind = 'offer' AND a.subject = NEW.offer_id::text
      AND a.requested_by = NEW.requested_by AND a.decided_by = NEW.approved_by
      AND a.input -> 'before' = NEW.before AND a.input -> 'after' = NEW.after
  ) THEN
    RAISE EXCEPTION 'nobody has consented to this change of contest %', NEW.offer_id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER offer_changes_have_consent BEFORE INSERT ON offer_changes
  FOR EACH ROW EXECUTE FUNCTION require_consent_to_change();

-- Whether this transaction has a record that lets it change a contest.
CREATE FUNCTION offer_may_change(contest integer) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT EXISTS (SELECT FROM offer_changes WHERE offer_id = contest AND transaction_id = pg_current_xact_id())
$$;

CREATE FUNCTION require_recorded_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT offer_may_change(OLD.id) THEN
    RAISE EXCEPTION 'contest % has entries: its texts change with a consent only', OLD.id
      USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER offers_texts_stay BEFORE UPDATE OF
    title, title_nl, title_en, description, description_nl, description_en ON offers
  FOR EACH ROW WHEN (
    OLD.entered_at IS NOT NULL
    AND (OLD.title, OLD.title_nl, OLD.title_en, OLD.description, OLD.description_nl, OLD.description_en)
      IS DISTINCT FROM
        (NEW.title, NEW.title_nl, NEW.title_en, NEW.description, NEW.description_nl, NEW.description_en)
  ) EXECUTE FUNCTION require_recorded_texts();

CREATE FUNCTION require_recorded_pictures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  contest integer;
  entered timestamptz;
BEGIN
  FOREACH contest IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[NEW.offer_id] WHEN 'DELETE' THEN ARRAY[OLD.offer_id]
                                      ELSE ARRAY[OLD.offer_id, NEW.offer_id] END
  LOOP
    -- Locked, so that the first entry comes before or after the change.
    SELECT entered_at INTO entered FROM offers WHERE id = contest FOR NO KEY UPDATE;
    IF entered IS NOT NULL AND NOT offer_may_change(contest) THEN
      RAISE EXCEPTION 'contest % has entries: its pictures change with a consent only', contest
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
  END LOOP;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER offer_pictures_come_and_go BEFORE INSERT OR DELETE ON offer_pictures
  FOR EACH ROW EXECUTE FUNCTION require_recorded_pictures();
-- A job puts the files that it made of a picture in their place.
CREATE TRIGGER offer_pictures_stay BEFORE UPDATE ON offer_pictures
  FOR EACH ROW WHEN (
    (OLD.offer_id, OLD.position, OLD.picture_id, OLD.rendition_id, OLD.focal_x, OLD.focal_y, OLD.alt_fr, OLD.alt_nl, OLD.alt_en)
      IS DISTINCT FROM
        (NEW.offer_id, NEW.position, NEW.picture_id, NEW.rendition_id, NEW.focal_x, NEW.focal_y, NEW.alt_fr, NEW.alt_nl, NEW.alt_en)
    OR (OLD.src <> NEW.src AND NEW.src IS DISTINCT FROM '/media/p/' || NEW.rendition_id)
    OR (NEW.picture_id IS NULL AND (OLD.widths, OLD.width, OLD.height, OLD.color)
      IS DISTINCT FROM (NEW.widths, NEW.width, NEW.height, NEW.color))
  ) EXECUTE FUNCTION require_recorded_pictures();
CREATE TRIGGER offer_pictures_never_emptied BEFORE TRUNCATE ON offer_pictures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A transaction with a record leaves what was consented to, and nothing else.
CREATE FUNCTION require_recorded_result() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  contest integer;
  wanted jsonb;
BEGIN
  IF TG_TABLE_NAME = 'offers' THEN contest := NEW.id;
  ELSIF TG_OP = 'DELETE' THEN contest := OLD.offer_id;
  ELSE contest := NEW.offer_id;
  END IF;
  SELECT after INTO wanted FROM offer_changes
  WHERE offer_id = contest AND transaction_id = pg_current_xact_id() ORDER BY id DESC LIMIT 1;
  IF FOUND AND wanted IS DISTINCT FROM offer_description(contest) THEN
    RAISE EXCEPTION 'contest % is described otherwise than was consented to', contest
      USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER offer_changes_are_made AFTER INSERT ON offer_changes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_recorded_result();
CREATE CONSTRAINT TRIGGER offers_texts_are_recorded AFTER UPDATE OF
    title, title_nl, title_en, description, description_nl, description_en ON offers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.entered_at IS NOT NULL) EXECUTE FUNCTION require_recorded_result();
CREATE CONSTRAINT TRIGGER offer_pictures_are_recorded AFTER INSERT OR UPDATE OR DELETE ON offer_pictures
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_recorded_result();

-- Whether a change that waits, or one that was made, shows a picture or a cut of one (`picture` or `rendition`).
CREATE FUNCTION description_shows(part text, shown text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM approvals a
    WHERE a.permission = 'offers.describe' AND (a.decision IS NULL OR a.decision IN ('approved', 'alone'))
      AND a.input -> 'after' @> jsonb_build_object('pictures', jsonb_build_array(jsonb_build_object(part, shown)))
  ) OR EXISTS (
    SELECT FROM offer_changes c
    WHERE c.before @> jsonb_build_object('pictures', jsonb_build_array(jsonb_build_object(part, shown)))
  )
$$;
