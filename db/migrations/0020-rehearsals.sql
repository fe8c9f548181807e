-- Rehearsals of draws (docs/draw-v1.md, section 11). They have tables of their own, so that nothing of one can be taken for a
-- draw or stand in a log.

-- A contest has one rehearsal at most: a new one takes the place of the old.
CREATE TABLE draw_rehearsals (
  offer_id integer PRIMARY KEY REFERENCES offers ON DELETE CASCADE,
  -- In the addresses of its pages and files. Each rehearsal has another, so that the old addresses lead nowhere.
  id       uuid NOT NULL UNIQUE,
  -- The contest's, or one made for a draft without.
  slug     text NOT NULL CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  made_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  made_by  bigint NOT NULL REFERENCES users,
  -- From then on its pages show the result.
  plays_at timestamptz NOT NULL,
  -- What its pages show in the end, and the contest as it was when the rehearsal was made.
  facts    jsonb NOT NULL,
  -- What the console shows.
  summary  jsonb NOT NULL
);
CREATE INDEX draw_rehearsals_by_age ON draw_rehearsals (made_at);

CREATE TABLE draw_rehearsal_files (
  offer_id integer NOT NULL REFERENCES draw_rehearsals ON DELETE CASCADE,
  name     text NOT NULL CHECK (name ~ '^(README|[a-z]+(-[a-z0-9]+)*)\.(txt|json)$'),
  sha256   bytea NOT NULL CHECK (length(sha256) = 32),
  content  bytea NOT NULL CHECK (length(content) > 0),
  PRIMARY KEY (offer_id, name)
);
-- Long files are read in parts.
ALTER TABLE draw_rehearsal_files ALTER COLUMN content SET STORAGE EXTERNAL;
