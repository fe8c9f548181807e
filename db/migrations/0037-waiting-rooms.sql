-- Waiting rooms of contests in a rush (ADR 0114).
-- Going back: yes

CREATE TABLE waiting_rooms (
  offer_id   integer PRIMARY KEY REFERENCES offers ON DELETE CASCADE,
  -- The last number given.
  arrived    integer NOT NULL DEFAULT 0 CHECK (arrived >= 0),
  -- Everybody with a number up to it may enter.
  frontier   double precision NOT NULL,
  -- Buyers who enter in a second.
  rate       double precision NOT NULL CHECK (rate > 0),
  stepped_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When a process was last too busy.
  slowed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When somebody last waited.
  waited_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE waiting_places (
  offer_id   integer NOT NULL REFERENCES waiting_rooms ON DELETE CASCADE,
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  number     integer NOT NULL CHECK (number > 0),
  entered_at timestamptz,
  PRIMARY KEY (offer_id, user_id)
);
CREATE INDEX waiting_places_user ON waiting_places (user_id);
