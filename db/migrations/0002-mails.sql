-- Mails wait here until a mail server has taken them (ADR 0014), and forgotten passwords are set anew.

CREATE TABLE mails (
  id             uuid PRIMARY KEY,
  -- What the mail is about, said so that there can be only one: 'receipt:<order>'.
  key            text NOT NULL UNIQUE CHECK (length(key) BETWEEN 1 AND 200),
  kind           text NOT NULL CHECK (kind ~ '^[a-z]+(-[a-z]+)*$'),
  recipient      text NOT NULL,
  reply_to       text,
  language       text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  subject        text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
  body_text      text NOT NULL,
  body_html      text NOT NULL,
  -- What is made at sending and never lies here: [{"kind", "ref"}], and the one secret link of the mail.
  attachments    jsonb NOT NULL DEFAULT '[]',
  secret_link    jsonb,
  state          text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sending', 'sent', 'kept', 'failed')),
  attempts       integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- Queued: not to be sent before. Sending: until then the mail belongs to the process that sends it.
  due_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- A mail that nobody could use any more is not sent.
  useful_until   timestamptz,
  last_error     text,
  queued_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  closed_at      timestamptz,
  -- Nothing that ends a header's line, whoever wrote the row.
  CONSTRAINT mails_no_header_injection CHECK (
    recipient ~ '^[^[:cntrl:][:space:]]+@[^[:cntrl:][:space:]]+$'
    AND (reply_to IS NULL OR reply_to ~ '^[^[:cntrl:][:space:]]+@[^[:cntrl:][:space:]]+$')
    AND subject !~ '[[:cntrl:]]'
  ),
  CONSTRAINT mails_closed CHECK ((closed_at IS NULL) = (state IN ('queued', 'sending')))
);
CREATE INDEX mails_due ON mails (due_at) WHERE state IN ('queued', 'sending');
CREATE INDEX mails_newest ON mails (queued_at DESC);

-- Who asked for a new password, until a worker has looked whether there is such an account. One row for each address.
CREATE TABLE password_reset_requests (
  email         text PRIMARY KEY CHECK (length(email) BETWEEN 3 AND 254),
  language      text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  requested_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row for each link that was mailed. The token itself is never stored.
CREATE TABLE password_resets (
  id          uuid PRIMARY KEY,
  user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  token_hash  bytea NOT NULL UNIQUE,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at  timestamptz NOT NULL,
  -- Used, or ended because another link or a change of the account made it useless.
  ended_at    timestamptz
);
CREATE INDEX password_resets_user ON password_resets (user_id, created_at DESC);
