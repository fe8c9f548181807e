-- Staff: their roles, their sessions in the console, second factors, decisions of two people, and the audit log.

-- The role of a staff member (src/shared/staff-permissions.ts); null for customers.
ALTER TABLE users ADD COLUMN role text
  CHECK (role IN ('owner', 'manager', 'support', 'postal', 'accountant', 'witness'));
UPDATE users SET role = CASE WHEN is_superuser THEN 'owner' ELSE 'manager' END WHERE is_staff OR is_superuser;
ALTER TABLE users DROP COLUMN is_staff, DROP COLUMN is_superuser;
ALTER TABLE users
  ADD COLUMN is_staff boolean NOT NULL GENERATED ALWAYS AS (role IS NOT NULL) STORED,
  ADD COLUMN is_superuser boolean NOT NULL GENERATED ALWAYS AS (role IS NOT NULL AND role = 'owner') STORED;
CREATE INDEX users_staff ON users (id) WHERE role IS NOT NULL;

-- One row for each sign-in to the console. The cookie's token itself is never stored.
CREATE TABLE staff_sessions (
  id             uuid PRIMARY KEY,
  user_id        bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  token_hash     bytea NOT NULL UNIQUE,
  -- Null: by password alone, which live mode allows only to enrol a second factor.
  second_factor  text CHECK (second_factor IN ('passkey', 'code', 'recovery')),
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_used_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at     timestamptz NOT NULL,
  ended_at       timestamptz,
  browser        text,
  system         text
);
CREATE INDEX staff_sessions_user ON staff_sessions (user_id);

-- Another password, another role and a suspension end the console's sessions of an account.
CREATE FUNCTION end_staff_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE staff_sessions SET ended_at = clock_timestamp() WHERE user_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER users_end_staff_sessions AFTER UPDATE OF password_hash, role, is_active ON users
  FOR EACH ROW WHEN (
    OLD.role IS NOT NULL
    AND (OLD.password_hash <> NEW.password_hash OR OLD.role IS DISTINCT FROM NEW.role OR OLD.is_active <> NEW.is_active)
  ) EXECUTE FUNCTION end_staff_sessions();

-- For a while after somebody has shown a password or second factor again, a session may do one kind of action.
CREATE TABLE staff_step_ups (
  session_id  uuid NOT NULL REFERENCES staff_sessions ON DELETE CASCADE,
  permission  text NOT NULL,
  until       timestamptz NOT NULL,
  PRIMARY KEY (session_id, permission)
);

CREATE TABLE staff_passkeys (
  -- The credential id, base64url.
  id            text PRIMARY KEY,
  user_id       bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  public_key    bytea NOT NULL,
  counter       bigint NOT NULL DEFAULT 0,
  transports    text[] NOT NULL DEFAULT '{}',
  name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_used_at  timestamptz
);
CREATE INDEX staff_passkeys_user ON staff_passkeys (user_id);

-- Challenges of passkeys, each used once.
CREATE TABLE staff_challenges (
  challenge   text PRIMARY KEY,
  -- Null for a sign-in, before which nobody is known.
  session_id  uuid REFERENCES staff_sessions ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX staff_challenges_age ON staff_challenges (expires_at);

-- Time-based codes (RFC 6238).
CREATE TABLE staff_authenticators (
  user_id       bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  -- Encrypted with a key made from SECRET_KEY.
  secret        bytea NOT NULL,
  -- Null until its owner has entered a first code.
  confirmed_at  timestamptz,
  -- The time step of the last accepted code: each code is used once.
  last_step     bigint NOT NULL DEFAULT 0
);

CREATE TABLE staff_recovery_codes (
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash  bytea NOT NULL,
  used_at    timestamptz,
  PRIMARY KEY (user_id, code_hash)
);

-- Actions that need two people. Whoever asks for one never approves it.
CREATE TABLE approvals (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  permission    text NOT NULL CHECK (permission ~ '^[a-z]+\.[a-zA-Z]+$'),
  subject_kind  text NOT NULL,
  subject       text NOT NULL,
  -- What the action is called with.
  input         jsonb NOT NULL,
  -- What was shown to whoever asked.
  preview       jsonb NOT NULL DEFAULT '{}',
  reason        text NOT NULL CHECK (reason <> ''),
  requested_by  bigint NOT NULL REFERENCES users,
  requested_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Set when nobody else could approve it: from this time on it needs no second person.
  alone_from    timestamptz,
  decided_by    bigint REFERENCES users,
  -- What the second person wrote.
  answer        text,
  decided_at    timestamptz,
  decision      text CHECK (decision IN ('approved', 'refused', 'withdrawn', 'alone')),
  -- When the approved action was done, or why it could not be done (a code).
  done_at       timestamptz,
  failure       text,
  CONSTRAINT approvals_decided CHECK ((decided_at IS NULL) = (decision IS NULL)),
  CONSTRAINT approvals_done_once CHECK (
    (done_at IS NULL AND failure IS NULL)
    OR ((done_at IS NULL OR failure IS NULL) AND decision IN ('approved', 'alone'))
  ),
  CONSTRAINT approvals_two_people CHECK (
    decision IS NULL
    OR (decision IN ('approved', 'refused') AND decided_by IS NOT NULL AND decided_by <> requested_by)
    OR (decision = 'withdrawn' AND decided_by = requested_by)
    OR (decision = 'alone' AND decided_by = requested_by AND alone_from IS NOT NULL AND decided_at >= alone_from)
  )
);
-- One open request for each matter.
CREATE UNIQUE INDEX approvals_one_open ON approvals (permission, subject_kind, subject) WHERE decision IS NULL;
CREATE INDEX approvals_newest ON approvals (requested_at DESC);
CREATE INDEX approvals_to_do ON approvals (decided_at)
  WHERE decision IN ('approved', 'alone') AND done_at IS NULL AND failure IS NULL;

-- Who did what, in one chain: each row has the hash of the one before. Rows are only added. An entry names customers by
-- their ids only.
CREATE TABLE audit_log (
  id             bigint PRIMARY KEY,
  -- The entry as JSON, hashed as it stands (src/platform/audit-log.ts).
  entry          text NOT NULL,
  previous_hash  bytea NOT NULL,
  hash           bytea NOT NULL UNIQUE,
  at             timestamptz NOT NULL
    GENERATED ALWAYS AS (to_timestamp(((entry::jsonb ->> 'at_ms')::bigint)::double precision / 1000)) STORED,
  actor_id       bigint GENERATED ALWAYS AS ((entry::jsonb ->> 'actor_id')::bigint) STORED,
  action         text NOT NULL GENERATED ALWAYS AS (entry::jsonb ->> 'action') STORED,
  subject_kind   text GENERATED ALWAYS AS (entry::jsonb ->> 'subject_kind') STORED,
  subject        text GENERATED ALWAYS AS (entry::jsonb ->> 'subject') STORED,
  CONSTRAINT audit_log_hashed CHECK (hash = sha256(previous_hash || convert_to(entry, 'UTF8')))
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_actor ON audit_log (actor_id, id);
CREATE INDEX audit_log_subject ON audit_log (subject_kind, subject, id);

-- The lock lasts until the end of the transaction, so that rows are added in the order of their commits.
CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_log'));
  SELECT id, hash INTO before FROM audit_log ORDER BY id DESC LIMIT 1;
  NEW.id := coalesce(before.id, 0) + 1;
  NEW.previous_hash := coalesce(before.hash, sha256('volant-audit-v1'));
  NEW.hash := sha256(NEW.previous_hash || convert_to(NEW.entry, 'UTF8'));
  RETURN NEW;
END $$;
CREATE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
CREATE TRIGGER audit_log_only_grows BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_never_emptied BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
