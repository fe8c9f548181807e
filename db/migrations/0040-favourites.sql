-- Contests that somebody marked, and reminders of them that somebody asked for (ADR 0130).
-- Going back: yes

CREATE TABLE favourites (
  user_id   bigint NOT NULL REFERENCES users,
  offer_id  integer NOT NULL REFERENCES offers,
  marked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, offer_id)
);
CREATE INDEX favourites_of_offer ON favourites (offer_id);

CREATE TABLE reminders (
  user_id  bigint NOT NULL REFERENCES users,
  offer_id integer NOT NULL REFERENCES offers,
  kind     text NOT NULL CHECK (kind IN ('closing', 'draw', 'result')),
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The instant that the email was about: of the end, of the draw or of the result. Another one is told again.
  told_of  timestamptz,
  PRIMARY KEY (user_id, offer_id, kind)
);
CREATE INDEX reminders_to_tell ON reminders (offer_id, kind, told_of);
