-- What the prize of a contest is, in figures: they change after the first entry as its description does (ADR 0096). Its
-- value stays a term, which never changes then.
-- Going back: yes

ALTER TABLE offers
  ADD COLUMN prize_power_kw integer CONSTRAINT offers_prize_power CHECK (prize_power_kw BETWEEN 1 AND 2000),
  -- Seconds from standstill to 100 km/h.
  ADD COLUMN prize_zero_to_100 numeric(3, 1)
    CONSTRAINT offers_prize_zero_to_100 CHECK (prize_zero_to_100 BETWEEN 1 AND 60),
  -- Of the first registration, or of the model of a new car.
  ADD COLUMN prize_year integer CONSTRAINT offers_prize_year CHECK (prize_year BETWEEN 1886 AND 2100),
  ADD COLUMN prize_range_km integer CONSTRAINT offers_prize_range CHECK (prize_range_km BETWEEN 1 AND 5000);

-- A figure that is not given has no field, so that changes which wait for a second person are still of what is stored.
CREATE OR REPLACE FUNCTION offer_description(contest integer) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT text_fields('title', o.titles) || text_fields('description', o.descriptions) || jsonb_strip_nulls(jsonb_build_object(
    'prize_power_kw', o.prize_power_kw, 'prize_zero_to_100', o.prize_zero_to_100::text,
    'prize_year', o.prize_year, 'prize_range_km', o.prize_range_km
  )) || jsonb_build_object(
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

CREATE TRIGGER offers_facts_stay BEFORE UPDATE OF
    prize_power_kw, prize_zero_to_100, prize_year, prize_range_km ON offers
  FOR EACH ROW WHEN (
    OLD.entered_at IS NOT NULL
    AND (OLD.prize_power_kw, OLD.prize_zero_to_100, OLD.prize_year, OLD.prize_range_km)
      IS DISTINCT FROM (NEW.prize_power_kw, NEW.prize_zero_to_100, NEW.prize_year, NEW.prize_range_km)
  ) EXECUTE FUNCTION require_recorded_texts();
CREATE CONSTRAINT TRIGGER offers_facts_are_recorded AFTER UPDATE OF
    prize_power_kw, prize_zero_to_100, prize_year, prize_range_km ON offers
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.entered_at IS NOT NULL) EXECUTE FUNCTION require_recorded_result();
