-- The register of the shop has witnesses (docs/draw-v1.md, section 6; ADR 0133).
-- Going back: no, an older version would publish terms that this one does not read

-- 1: terms without the line witness-policy, which this version does not read.
ALTER TABLE draws ADD COLUMN terms_version smallint NOT NULL DEFAULT 1 CHECK (terms_version IN (1, 2));
ALTER TABLE draws ALTER COLUMN terms_version SET DEFAULT 2;

-- The key of the register is named as its origin.
ALTER TABLE draw_logs DISABLE TRIGGER draw_logs_only_grow;
UPDATE draw_logs l SET key = concat_ws(
  '+', k.name, encode(substring(sha256(convert_to(k.name, 'UTF8') || '\x0a' || decode(k.base64, 'base64')) FROM 1 FOR 4), 'hex'), k.base64
)
FROM (
  SELECT split_part(origin, '/', 1) || '/draws' AS name, substring(key FROM '^[^+]+\+[0-9a-f]{8}\+(.+)$') AS base64
  FROM draw_logs WHERE id = 0
) AS k
WHERE l.id = 0;
ALTER TABLE draw_logs ENABLE TRIGGER draw_logs_only_grow;

-- Of a contest: how much of its log the last leaf volant-log-v1 gives, and since when.
ALTER TABLE draw_logs
  ADD COLUMN registered_size integer NOT NULL DEFAULT 0 CHECK (registered_size >= 0),
  ADD COLUMN registered_at timestamptz;

-- What the register says of a contest.
CREATE INDEX draw_leaves_of_register ON draw_leaves (split_part(leaf, E'\t', 2), index) WHERE log_id = 0;

-- Whoever a policy names as a witness.
CREATE TABLE register_witnesses (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- NAME+KEYID+KEY
  vkey           text NOT NULL UNIQUE CHECK (length(vkey) <= 2500),
  first_asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of the register, by its last signature.
  size           integer NOT NULL DEFAULT 0 CHECK (size >= 0),
  -- What it was asked about last, and when it is asked again without a newer one.
  checkpoint_id  bigint REFERENCES draw_checkpoints,
  next_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Whoever asks it now has begun then.
  claimed_at     timestamptz,
  asked_at       timestamptz,
  -- When it signed last.
  signed_at      timestamptz,
  -- Failures since.
  tries          integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
  fault          text,
  -- The size at which it knows another history, and since when.
  conflict_size  bigint CHECK (conflict_size >= 0),
  conflict_at    timestamptz,
  CONSTRAINT register_witnesses_conflict_whole CHECK ((conflict_size IS NULL) = (conflict_at IS NULL))
);

CREATE TABLE witness_cosignatures (
  checkpoint_id bigint NOT NULL REFERENCES draw_checkpoints,
  key_id        bigint NOT NULL REFERENCES register_witnesses,
  -- Whole seconds, as signed.
  time          timestamptz NOT NULL,
  -- As in a checkpoint, without LF.
  line          text NOT NULL CHECK (line LIKE '— %'),
  PRIMARY KEY (checkpoint_id, key_id)
);
CREATE INDEX witness_cosignatures_by_time ON witness_cosignatures (time);
CREATE TRIGGER witness_cosignatures_only_grow BEFORE UPDATE OR DELETE ON witness_cosignatures
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER witness_cosignatures_never_emptied BEFORE TRUNCATE ON witness_cosignatures
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Whether the register may grow: one row, which the job that asks witnesses keeps.
CREATE TABLE register_watch (
  id         integer PRIMARY KEY CHECK (id = 0),
  -- Witnesses are asked.
  is_watched boolean NOT NULL,
  -- Each of them has been since.
  asked_at   timestamptz,
  -- Without those who know another history there is no quorum.
  halted_at  timestamptz
);
INSERT INTO register_watch (id, is_watched) VALUES (0, false);
