-- The Merkle tree of the rows of a sealed list, so that a row has a proof without reading the list (docs/draw-v1.md,
-- appendix). Unlike those of a log, tiles of a list never grow: partial ones are stored, too.

CREATE TABLE draw_list_tiles (
  offer_id     integer NOT NULL REFERENCES draws,
  level        smallint NOT NULL CHECK (level >= 0),
  index        integer NOT NULL CHECK (index >= 0),
  hashes       bytea NOT NULL CHECK (length(hashes) BETWEEN 32 AND 8192 AND length(hashes) % 32 = 0),
  -- Of its first row, in the lowest level.
  first_number integer,
  PRIMARY KEY (offer_id, level, index),
  CONSTRAINT draw_list_tiles_of_rows CHECK ((level = 0) = (first_number IS NOT NULL))
);
-- The tile of a number.
CREATE INDEX draw_list_tiles_by_number ON draw_list_tiles (offer_id, first_number) WHERE level = 0;

CREATE TRIGGER draw_list_tiles_only_grow BEFORE UPDATE OR DELETE ON draw_list_tiles
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_list_tiles_never_emptied BEFORE TRUNCATE ON draw_list_tiles
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
