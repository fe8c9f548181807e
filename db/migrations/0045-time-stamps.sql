-- Terms name an authority whose time stamps stand beside witnesses (docs/draw-v1.md, section 6; ADR 0135).
-- Going back: no, an older version would publish terms that this one does not read

-- 2: terms without the line stamp-authority, which this version does not read.
ALTER TABLE draws
  DROP CONSTRAINT draws_terms_version_check,
  ADD CONSTRAINT draws_terms_version_check CHECK (terms_version IN (1, 2, 3)),
  ALTER COLUMN terms_version SET DEFAULT 3;

-- A rehearsal of older terms is made again by whoever needs it.
DELETE FROM draw_rehearsals;

ALTER TABLE draw_files
  DROP CONSTRAINT draw_files_name_check,
  ADD CONSTRAINT draw_files_name_check CHECK (name ~ '^[a-z]+(-[a-z0-9]+)*\.(txt|json|pem|tsr)$');

-- Stamps of the authority that the terms name, beside the files that hold them. The first one of each stays.
CREATE TABLE draw_stamps (
  offer_id   integer NOT NULL,
  name       text NOT NULL CHECK (name IN ('terms.tsr', 'seal.tsr')),
  -- As the authority says, in whole seconds.
  stamped_at timestamptz NOT NULL,
  PRIMARY KEY (offer_id, name),
  FOREIGN KEY (offer_id, name) REFERENCES draw_files DEFERRABLE INITIALLY DEFERRED
);
CREATE TRIGGER draw_stamps_only_grow BEFORE UPDATE OR DELETE ON draw_stamps
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_stamps_never_emptied BEFORE TRUNCATE ON draw_stamps
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
