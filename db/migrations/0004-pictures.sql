-- Pictures that staff upload: the originals without metadata, and the sizes that the shop shows.

CREATE TABLE pictures (
  -- Hexadecimal SHA-256 of `bytes`: the same picture is stored once.
  id           text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'),
  bytes        bytea NOT NULL,
  -- A small WebP for the console.
  preview      bytea NOT NULL,
  mime         text NOT NULL CHECK (mime IN ('image/jpeg', 'image/png', 'image/webp', 'image/avif')),
  width        integer NOT NULL CHECK (width > 0),
  height       integer NOT NULL CHECK (height > 0),
  color        text NOT NULL CHECK (color ~ '^#[0-9a-f]{6}$'),
  uploaded_by  bigint REFERENCES users ON DELETE SET NULL,
  uploaded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When it was last uploaded, given to an offer, or taken away from one.
  used_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Compressed already.
ALTER TABLE pictures ALTER COLUMN bytes SET STORAGE EXTERNAL, ALTER COLUMN preview SET STORAGE EXTERNAL;
CREATE FUNCTION require_hash_as_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> encode(sha256(NEW.bytes), 'hex') THEN
    RAISE EXCEPTION 'the id of a picture is the hash of its bytes' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER pictures_id_is_hash BEFORE INSERT ON pictures FOR EACH ROW EXECUTE FUNCTION require_hash_as_id();
CREATE TRIGGER pictures_never_change BEFORE UPDATE OF id, bytes ON pictures
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE INDEX pictures_used_at ON pictures (used_at);
CREATE INDEX pictures_uploaded_by ON pictures (uploaded_by) WHERE uploaded_by IS NOT NULL;

-- A part of a picture as the shop shows it. Its files are made by a job.
CREATE TABLE picture_renditions (
  -- Made from what decides every byte of its files (pictures.rules.ts), part of their public addresses.
  id            text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
  picture_id    text NOT NULL REFERENCES pictures ON DELETE CASCADE,
  -- Pixels of the picture.
  crop_x        integer NOT NULL CHECK (crop_x >= 0),
  crop_y        integer NOT NULL CHECK (crop_y >= 0),
  crop_width    integer NOT NULL CHECK (crop_width > 0),
  crop_height   integer NOT NULL CHECK (crop_height > 0),
  -- Where the part for social networks begins, pixels of the picture.
  share_top     integer NOT NULL CHECK (share_top >= crop_y),
  -- Pixels of the AVIF and WebP files, ascending.
  widths        integer[] NOT NULL CHECK (cardinality(widths) > 0),
  state         text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'working', 'done', 'failed')),
  attempts      integer NOT NULL DEFAULT 0,
  -- Queued: not before. Working: until when it belongs to the process that works on it.
  due_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  failure       text,
  queued_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  done_at       timestamptz,
  used_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (id, picture_id),
  CONSTRAINT picture_renditions_failure CHECK ((state = 'failed') = (failure IS NOT NULL)),
  CONSTRAINT picture_renditions_done CHECK ((state = 'done') = (done_at IS NOT NULL))
);
CREATE INDEX picture_renditions_picture ON picture_renditions (picture_id);
CREATE INDEX picture_renditions_due ON picture_renditions (due_at) WHERE state IN ('queued', 'working');
CREATE INDEX picture_renditions_used_at ON picture_renditions (used_at);

CREATE TABLE picture_files (
  rendition_id  text NOT NULL REFERENCES picture_renditions ON DELETE CASCADE,
  width         integer NOT NULL CHECK (width > 0),
  format        text NOT NULL CHECK (format IN ('avif', 'webp', 'jpeg')),
  bytes         bytea NOT NULL,
  hash          bytea NOT NULL,
  PRIMARY KEY (rendition_id, format, width),
  CONSTRAINT picture_files_hash CHECK (hash = sha256(bytes))
);
ALTER TABLE picture_files ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- `src`, `widths`, `width` and `height` say what the shop shows; `widths` is empty while there is nothing to show yet.
-- The new columns say what staff want; they are null for files of DATA_DIR/media and of the demonstration.
ALTER TABLE offer_pictures
  ADD COLUMN picture_id    text REFERENCES pictures,
  ADD COLUMN rendition_id  text,
  -- What must stay visible in other shapes, pixels of the picture.
  ADD COLUMN focal_x       integer,
  ADD COLUMN focal_y       integer,
  ADD CONSTRAINT offer_pictures_rendition FOREIGN KEY (rendition_id, picture_id)
    REFERENCES picture_renditions (id, picture_id),
  ADD CONSTRAINT offer_pictures_uploaded_or_file CHECK (
    num_nulls(picture_id, rendition_id, focal_x, focal_y) IN (0, 4)
  ),
  ADD CONSTRAINT offer_pictures_file_is_shown CHECK (picture_id IS NOT NULL OR cardinality(widths) > 0);
CREATE INDEX offer_pictures_picture ON offer_pictures (picture_id) WHERE picture_id IS NOT NULL;
CREATE INDEX offer_pictures_of_rendition ON offer_pictures (rendition_id) WHERE rendition_id IS NOT NULL;

-- Increases with every change of the offer's pictures.
ALTER TABLE offers ADD COLUMN pictures_version integer NOT NULL DEFAULT 0;
