-- Customers and messages: suspended and closed accounts, whose account an email went to, and what people write to the
-- shop with the answers to it (ADR 0047).

---------------------------------------------------------------------------------------------------------------- accounts

-- Set once, when the person was erased from the account. The row stays, because orders and tickets need an owner.
ALTER TABLE users
  ADD COLUMN closed_at timestamptz,
  ADD CONSTRAINT users_closed_name_nobody CHECK (
    closed_at IS NULL
    OR (NOT is_active AND role IS NULL AND password_hash = 'none' AND phone = '' AND partner_code IS NULL
        AND email_confirmed_at IS NULL AND email = 'erased-' || id || '@erased.invalid' AND username = ' erased ' || id)
  );
CREATE TRIGGER users_closed_stay_closed BEFORE UPDATE ON users
  FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at)
  EXECUTE FUNCTION refuse_change();

-- For the search by the beginning of a text, in the order of its bytes.
CREATE INDEX users_phone_begins ON users ((phone COLLATE "C"), id) WHERE phone <> '';
CREATE INDEX users_suspended ON users (id) WHERE NOT is_active AND closed_at IS NULL;
CREATE INDEX users_closed ON users (id) WHERE closed_at IS NOT NULL;

CREATE TABLE account_suspensions (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id       bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  -- A code (src/features/customers/customers.rules.ts); the customer gets a sentence made from it.
  reason        text NOT NULL CHECK (reason ~ '^[a-z_]+$'),
  -- For staff only.
  note          text NOT NULL CHECK (note <> ''),
  suspended_by  bigint NOT NULL REFERENCES users,
  suspended_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  lifted_by     bigint REFERENCES users,
  lifted_at     timestamptz,
  lifted_note   text CHECK (lifted_note <> ''),
  CONSTRAINT account_suspensions_lifted CHECK (
    (lifted_by IS NULL) = (lifted_at IS NULL) AND (lifted_note IS NULL) = (lifted_at IS NULL)
  )
);
CREATE UNIQUE INDEX account_suspensions_one_runs ON account_suspensions (user_id) WHERE lifted_at IS NULL;
CREATE INDEX account_suspensions_user ON account_suspensions (user_id, id DESC);

----------------------------------------------------------------------------------------------------------------- tickets

-- A ticket that its owner has given up is void without a refund: its order stays paid.
ALTER TABLE tickets
  ADD COLUMN given_up_at timestamptz,
  ADD CONSTRAINT tickets_given_up_are_void CHECK (given_up_at IS NULL OR status = 'void');

------------------------------------------------------------------------------------------------------------------ emails

-- The account that an email went to; null for others, such as the shop's own address.
ALTER TABLE emails ADD COLUMN user_id bigint REFERENCES users ON DELETE SET NULL;
CREATE INDEX emails_user ON emails (user_id, id DESC) WHERE user_id IS NOT NULL;
UPDATE emails SET user_id = o.user_id
  FROM orders o WHERE emails.key = 'receipt:' || o.id;
UPDATE emails SET user_id = u.id
  FROM users u WHERE emails.user_id IS NULL AND emails.kind <> 'contact' AND lower(u.email) = lower(emails.recipient);

---------------------------------------------------------------------------------------------------------------- messages

-- Messages of the contact form. Their ids rise with the time of arrival, and so does the time by which they are due.
CREATE TABLE messages (
  id           uuid PRIMARY KEY,
  name         text NOT NULL CHECK (name <> ''),
  email        text NOT NULL CHECK (email ~ '^[^[:cntrl:][:space:]]+@[^[:cntrl:][:space:]]+$'),
  message      text NOT NULL CHECK (message <> ''),
  language     text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  -- The account of which this was the confirmed address when the message arrived.
  user_id      bigint REFERENCES users ON DELETE SET NULL,
  received_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The shop promises an answer within 24 hours.
  due_at       timestamptz NOT NULL DEFAULT clock_timestamp() + interval '24 hours',
  state        text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'closed')),
  -- Why it was closed without an answer of the console.
  closed_as    text CHECK (closed_as IN ('answered_elsewhere', 'no_answer_needed', 'spam')),
  -- Of the last answer, or of the closing.
  handled_by   bigint REFERENCES users,
  handled_at   timestamptz,
  -- Rises with each change, so that two people do not answer one message.
  version      integer NOT NULL DEFAULT 1,
  CONSTRAINT messages_handled CHECK (
    (state = 'open') = (handled_at IS NULL) AND (handled_at IS NULL) = (handled_by IS NULL)
    AND (state = 'closed') = (closed_as IS NOT NULL)
  )
);
CREATE INDEX messages_open ON messages (id) WHERE state = 'open';
CREATE INDEX messages_done ON messages (id) WHERE state <> 'open';
CREATE INDEX messages_of_state ON messages (state, id) WHERE state <> 'open';
CREATE INDEX messages_email ON messages (lower(email), id);
CREATE INDEX messages_user ON messages (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX messages_age ON messages (coalesce(handled_at, received_at));

-- The email of an answer has the key 'message-answer:<id>'.
CREATE TABLE message_answers (
  id           uuid PRIMARY KEY,
  message_id   uuid NOT NULL REFERENCES messages ON DELETE CASCADE,
  -- The template that the answer began as.
  template     text NOT NULL CHECK (template ~ '^[a-zA-Z]+$'),
  language     text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  subject      text NOT NULL CHECK (subject <> ''),
  text         text NOT NULL CHECK (text <> ''),
  answered_by  bigint NOT NULL REFERENCES users,
  answered_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX message_answers_message ON message_answers (message_id, id);
