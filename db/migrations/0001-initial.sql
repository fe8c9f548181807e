-- The shop's tables, grouped by the slice that owns them. Money is integer cents, time is timestamptz, and whatever must
-- never happen is a constraint or a trigger.

-- One function with which triggers refuse a change. The error carries the name of the trigger.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused by %', TG_OP, TG_TABLE_NAME, TG_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

---------------------------------------------------------------------------------------------------------------- accounts

CREATE TABLE users (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  username        text NOT NULL CHECK (length(username) BETWEEN 1 AND 150),
  email           text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  password_hash   text NOT NULL,
  phone           text NOT NULL DEFAULT '',
  partner_code    text,
  language        text NOT NULL DEFAULT 'fr' CHECK (language IN ('fr', 'nl', 'en')),
  -- Set once the owner has used a link that was sent to the address.
  email_confirmed_at timestamptz,
  is_active       boolean NOT NULL DEFAULT true,
  is_staff        boolean NOT NULL DEFAULT false,
  is_superuser    boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));
CREATE UNIQUE INDEX users_username_key ON users (lower(username));

-- One row for each login. The refresh token itself is never stored.
CREATE TABLE sessions (
  id            uuid PRIMARY KEY,
  user_id       bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  refresh_hash  bytea NOT NULL UNIQUE,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  revoked_at    timestamptz,
  -- What the login's user agent names ("Firefox", "Windows"); null when it names neither.
  browser       text,
  system        text
);
CREATE INDEX sessions_user ON sessions (user_id);

-- Requests for a new password, until a worker has looked up the account. One row for each address.
CREATE TABLE password_reset_requests (
  email         text PRIMARY KEY CHECK (length(email) BETWEEN 3 AND 254),
  language      text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  requested_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row for each password link that was sent. The token itself is never stored.
CREATE TABLE password_resets (
  id          uuid PRIMARY KEY,
  user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  token_hash  bytea NOT NULL UNIQUE,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at  timestamptz NOT NULL,
  -- Set when the link was used, or when a newer link or a change of the account made it invalid.
  ended_at    timestamptz
);
CREATE INDEX password_resets_user ON password_resets (user_id, created_at DESC);
CREATE INDEX password_resets_end ON password_resets (expires_at);

-- One row for each link about the address of an account (ADR 0039). The token itself is never stored.
CREATE TABLE email_links (
  id          uuid PRIMARY KEY,
  user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  -- confirm: sent to the account's address. allow: sent there too, before a change that was asked for without the
  -- password. change: sent to the new address. undo: sent to the former one, which is reserved until the link ends.
  purpose     text NOT NULL CHECK (purpose IN ('confirm', 'allow', 'change', 'undo')),
  -- The address that the link confirms, brings or brings back.
  email       text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  -- The session that asked for a change; a change ends all others.
  session_id  uuid,
  token_hash  bytea NOT NULL UNIQUE,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at  timestamptz NOT NULL,
  -- Set when the link was used, or when a newer link or a change of the account made it invalid.
  ended_at    timestamptz
);
CREATE INDEX email_links_user ON email_links (user_id);
CREATE INDEX email_links_end ON email_links (expires_at);
-- An account waits for one change at a time.
CREATE UNIQUE INDEX email_links_one_change ON email_links (user_id)
  WHERE purpose IN ('allow', 'change') AND ended_at IS NULL;
CREATE INDEX email_links_reserved ON email_links (lower(email)) WHERE purpose = 'undo' AND ended_at IS NULL;

------------------------------------------------------------------------------------------------------------------ offers

CREATE TABLE offers (
  id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug            text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  title           text NOT NULL CHECK (title <> ''),
  title_nl        text NOT NULL DEFAULT '',
  title_en        text NOT NULL DEFAULT '',
  description     text NOT NULL DEFAULT '',
  description_nl  text NOT NULL DEFAULT '',
  description_en  text NOT NULL DEFAULT '',
  price_cents     integer NOT NULL CHECK (price_cents > 0),
  total_tickets   integer NOT NULL CHECK (total_tickets BETWEEN 1 AND 10000000),
  -- Running count of issued numbers. It never decreases, so that no number is issued twice.
  tickets_sold    integer NOT NULL DEFAULT 0 CHECK (tickets_sold >= 0),
  tickets_held    integer NOT NULL DEFAULT 0 CHECK (tickets_held >= 0),
  active          boolean NOT NULL DEFAULT true,
  end_date        timestamptz NOT NULL,
  question        text,
  question_nl     text,
  question_en     text,
  choices         text[] NOT NULL DEFAULT '{}',
  correct_choice  text,
  -- Key of the permutation that maps the running count to a number. Secret until the draw.
  number_key      bytea NOT NULL CHECK (length(number_key) = 32),
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- A cancelled contest is refunded to every buyer; the worker sends the refunds, order by order.
  cancelled_at    timestamptz,
  cancelled_why   text CHECK (cancelled_why <> ''),
  -- Set when all money of a cancelled contest has been returned and no more can arrive.
  refunds_completed_at timestamptz,
  CONSTRAINT offers_never_oversold CHECK (tickets_sold + tickets_held <= total_tickets),
  CONSTRAINT offers_question_answerable CHECK (
    (question IS NULL AND correct_choice IS NULL)
    OR (question IS NOT NULL AND correct_choice = ANY (choices))
  ),
  -- `MAX_PRICE_CENTS` in src/shared/money.ts. With a higher price the VAT does not fit beside it in an amount, and the
  -- list of all contests could not be shown.
  CONSTRAINT offers_price_is_an_amount CHECK (price_cents <= 499999999),
  CONSTRAINT offers_cancelled_are_closed CHECK (cancelled_at IS NULL OR NOT active),
  CONSTRAINT offers_cancelled_say_why CHECK ((cancelled_at IS NULL) = (cancelled_why IS NULL)),
  CONSTRAINT offers_refunded_were_cancelled CHECK (refunds_completed_at IS NULL OR cancelled_at IS NOT NULL)
) WITH (fillfactor = 70);
CREATE INDEX offers_to_refund ON offers (cancelled_at)
  WHERE cancelled_at IS NOT NULL AND refunds_completed_at IS NULL;

-- A number is computed from the running count, the total and the key: changing one of them would issue a number twice.
CREATE TRIGGER offers_sold_never_falls BEFORE UPDATE OF tickets_sold ON offers
  FOR EACH ROW WHEN (NEW.tickets_sold < OLD.tickets_sold) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER offers_numbers_stay BEFORE UPDATE OF total_tickets, number_key ON offers
  FOR EACH ROW WHEN (
    OLD.tickets_sold > 0 AND (NEW.total_tickets <> OLD.total_tickets OR NEW.number_key <> OLD.number_key)
  ) EXECUTE FUNCTION refuse_change();

CREATE TABLE offer_pictures (
  offer_id  integer NOT NULL REFERENCES offers ON DELETE CASCADE,
  position  integer NOT NULL,
  src       text NOT NULL,
  widths    integer[] NOT NULL,
  width     integer NOT NULL,
  height    integer NOT NULL,
  color     text NOT NULL,
  alt_fr    text NOT NULL DEFAULT '',
  alt_nl    text NOT NULL DEFAULT '',
  alt_en    text NOT NULL DEFAULT '',
  PRIMARY KEY (offer_id, position)
);

-------------------------------------------------------------------------------------------------------------------- cart

CREATE TABLE carts (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   bigint NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
  -- Increases with every change of the items. An order belongs to one version.
  version   integer NOT NULL DEFAULT 1
);

CREATE TABLE cart_items (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cart_id   bigint NOT NULL REFERENCES carts ON DELETE CASCADE,
  offer_id  integer NOT NULL REFERENCES offers ON DELETE CASCADE,
  quantity  integer NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
  answer    text,
  added_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (cart_id, offer_id)
);

------------------------------------------------------------------------------------------------------------------ orders

-- An order is a snapshot of one cart version with its prices, its hold and its payment.
-- A random order number that no order has: eight characters, none of which looks like another (no 0, O, 1, I, L, U).
CREATE FUNCTION new_order_number() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  characters CONSTANT text := '23456789ABCDEFGHJKMNPQRSTVWXYZ';
  made text;
BEGIN
  LOOP
    SELECT string_agg(substr(characters, 1 + floor(random() * length(characters))::int, 1), '') INTO made
    FROM generate_series(1, 8);
    EXIT WHEN NOT EXISTS (SELECT FROM orders WHERE number = made);
  END LOOP;
  RETURN made;
END $$;

CREATE TABLE orders (
  id                 uuid PRIMARY KEY,
  -- For people: buyers, staff, and the provider's list of payments.
  number             text NOT NULL DEFAULT new_order_number() CHECK (number ~ '^[2-9A-HJKMNP-TV-Z]{8}$'),
  user_id            bigint NOT NULL REFERENCES users,
  cart_version       integer NOT NULL,
  state              text NOT NULL CHECK (state IN (
    'held', 'capturing', 'pending', 'completed', 'expired', 'cancelled', 'superseded', 'refunding', 'refunded', 'review'
  )),
  -- The billing country, which the buyer chooses and which decides the VAT.
  country            text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  -- What the provider says of the payer's account and of the means of payment, once money was captured: evidence for the
  -- VAT. Null where it says nothing.
  payer_country      text CHECK (payer_country ~ '^[A-Z]{2}$'),
  funding_country    text CHECK (funding_country ~ '^[A-Z]{2}$'),
  language           text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  currency           text NOT NULL DEFAULT 'EUR' CHECK (currency = 'EUR'),
  subtotal_cents     integer NOT NULL CHECK (subtotal_cents >= 0),
  tax_percent        numeric(5, 2) NOT NULL,
  tax_cents          integer NOT NULL CHECK (tax_cents >= 0),
  total_cents        integer NOT NULL CHECK (total_cents = subtotal_cents + tax_cents),
  provider_order_id  text UNIQUE,
  payment_url        text,
  -- Increases once the provider has refused or not done a capture for certain: until then a repeated call is the same request.
  capture_attempt    integer NOT NULL DEFAULT 1,
  capture_started_at timestamptz,
  hold_until         timestamptz NOT NULL,
  -- The earliest end of its contests: no hold lasts longer.
  contests_end_at    timestamptz NOT NULL DEFAULT 'infinity',
  -- When the provider was first seen to have the buyer's approval.
  approved_at        timestamptz,
  -- The buyer can extend a hold once (WCAG 2.2.1).
  hold_extended      boolean NOT NULL DEFAULT false,
  -- Whether the buyer had never completed an order when this one was placed.
  newcomer           boolean NOT NULL DEFAULT false,
  -- Keyed hash of the network from which it was placed, only while it holds tickets.
  network            text,
  created_at         timestamptz NOT NULL DEFAULT now(),
  -- The last move.
  state_changed_at   timestamptz NOT NULL DEFAULT now(),
  -- The last move or check at the provider: the order of the queues of payment recovery.
  checked_at         timestamptz NOT NULL DEFAULT now(),
  -- When an order that was abandoned after a capture request was last compared with the provider's ledger.
  reconciled_at      timestamptz,
  CONSTRAINT orders_number_once UNIQUE (number),
  CONSTRAINT orders_attempts_count_up CHECK (capture_attempt >= 1),
  CONSTRAINT orders_tax_is_none_or_more CHECK (tax_percent >= 0),
  CONSTRAINT orders_provider_has_a_name CHECK (provider_order_id <> '')
);
-- One open order for each cart version: a repeated create-order finds it instead of holding tickets twice.
CREATE UNIQUE INDEX orders_one_open ON orders (user_id, cart_version) WHERE state IN ('held', 'capturing', 'pending');
-- The orders of a buyer, by time.
CREATE INDEX orders_of_user ON orders (user_id, id);
CREATE INDEX orders_due ON orders (hold_until) WHERE state = 'held';
CREATE INDEX orders_awaiting_provider ON orders (checked_at) WHERE state IN ('capturing', 'pending', 'refunding');
CREATE INDEX orders_in_review ON orders (state_changed_at) WHERE state = 'review';
CREATE INDEX orders_given_up ON orders (state_changed_at)
  WHERE state IN ('expired', 'cancelled', 'superseded') AND capture_started_at IS NOT NULL AND reconciled_at IS NULL;
-- Holds that ended unpaid, for the budget of an account: other orders are not in it, so a purchase pays nothing for it.
CREATE INDEX orders_unpaid ON orders (user_id, created_at) WHERE state IN ('expired', 'cancelled', 'superseded');
-- Orders whose countries differ, for the alert: few, so that a purchase pays nothing for it.
CREATE INDEX orders_countries_differ ON orders (state_changed_at)
  WHERE payer_country <> country OR funding_country <> country;
-- For jobs that read the newest or the oldest orders. A moved order's row is written behind the others, so the times of
-- one page are close together, and a purchase pays nothing for this index. It works with now(), which is stable within a
-- statement, not with clock_timestamp().
CREATE INDEX orders_by_time ON orders USING brin (state_changed_at, created_at) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE order_lines (
  order_id     uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  offer_id     integer NOT NULL REFERENCES offers,
  quantity     integer NOT NULL CHECK (quantity > 0),
  unit_cents   integer NOT NULL CHECK (unit_cents > 0),
  title        text NOT NULL,
  answer       text,
  -- Set in the transaction that voids the tickets of a cancelled contest and requests the refund of the line's share.
  refund_requested_at timestamptz,
  PRIMARY KEY (order_id, offer_id)
);
CREATE INDEX order_lines_offer ON order_lines (offer_id);

-- Every move of an order, in sequence. Rows are only added.
CREATE TABLE order_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id   uuid NOT NULL REFERENCES orders,
  from_state text,
  to_state   text NOT NULL,
  -- A code (src/features/purchase/orders/order-machine.rules.ts).
  reason     text NOT NULL CONSTRAINT order_events_reason_is_a_code CHECK (reason ~ '^[a-z_]+$'),
  -- The provider's own code, or which of staff wanted it and why.
  note       text,
  at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX order_events_order ON order_events (order_id, id);
CREATE TRIGGER order_events_only_grow BEFORE UPDATE OR DELETE ON order_events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- TRUNCATE fires no row trigger.
CREATE TRIGGER order_events_never_emptied BEFORE TRUNCATE ON order_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

---------------------------------------------------------------------------------------------------- payments and refunds

CREATE TABLE captures (
  capture_id      text PRIMARY KEY,
  order_id        uuid NOT NULL REFERENCES orders,
  status          text NOT NULL CONSTRAINT captures_status
    CHECK (status IN ('pending', 'completed', 'partially_refunded', 'refunded', 'declined', 'failed', 'unknown')),
  amount_cents    integer NOT NULL CHECK (amount_cents >= 0),
  currency        text NOT NULL,
  -- Sum of all refunds that have not failed: never more than was captured.
  refunded_cents  integer NOT NULL DEFAULT 0,
  recorded_at     timestamptz NOT NULL DEFAULT now(),
  changed_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT captures_never_refunded_twice CHECK (refunded_cents BETWEEN 0 AND amount_cents)
);
CREATE INDEX captures_order ON captures (order_id);

-- One row for each refund: ours is written before the provider is asked, the provider's (made by staff on its site, a
-- dispute, a chargeback) when we learn of it.
CREATE TABLE refunds (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  capture_id    text NOT NULL REFERENCES captures,
  order_id      uuid NOT NULL REFERENCES orders,
  origin        text NOT NULL DEFAULT 'shop' CHECK (origin IN ('shop', 'provider')),
  attempt       integer DEFAULT 1,
  amount_cents  integer NOT NULL CHECK (amount_cents > 0),
  -- A code (src/features/purchase/orders/order-machine.rules.ts).
  reason        text NOT NULL CONSTRAINT refunds_reason_is_a_code CHECK (reason ~ '^[a-z_]+$'),
  -- What staff wrote for the buyer.
  note          text,
  status        text NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'pending', 'completed', 'failed')),
  refund_id     text UNIQUE,
  created_at    timestamptz NOT NULL DEFAULT now(),
  changed_at    timestamptz NOT NULL DEFAULT now(),
  UNIQUE (capture_id, attempt),
  CONSTRAINT refunds_attempt_is_ours CHECK ((origin = 'shop') = (attempt IS NOT NULL)),
  CONSTRAINT refunds_of_theirs_are_known CHECK (origin = 'shop' OR refund_id IS NOT NULL),
  CONSTRAINT refunds_done_are_known CHECK (status <> 'completed' OR refund_id IS NOT NULL)
);
CREATE INDEX refunds_order ON refunds (order_id);
CREATE INDEX refunds_open ON refunds (order_id) WHERE status IN ('requested', 'pending');
-- A capture has one open refund of ours at a time.
CREATE UNIQUE INDEX refunds_one_open ON refunds (capture_id)
  WHERE origin = 'shop' AND status IN ('requested', 'pending');

-- Verified notifications of the payment provider, each stored once.
CREATE TABLE webhook_inbox (
  event_id     text PRIMARY KEY,
  event_type   text NOT NULL,
  payload      jsonb NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT now(),
  handled_at   timestamptz,
  -- The last attempt that could not handle it: notifications that cannot be handled yet go behind the others.
  tried_at     timestamptz
);
CREATE INDEX webhook_inbox_waiting ON webhook_inbox (received_at) WHERE handled_at IS NULL;
CREATE INDEX webhook_inbox_in_turn ON webhook_inbox ((coalesce(tried_at, received_at))) WHERE handled_at IS NULL;
CREATE INDEX webhook_inbox_to_erase ON webhook_inbox (handled_at) WHERE payload <> '{}';

-- Progress of the reconciliation with the provider's ledger. It follows the orders' ids, which increase with time.
CREATE TABLE ledger_reconciliation (
  only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- The last order reconciled in this pass; null before the first.
  after_order uuid,
  started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Set at the end of a pass; the next one begins a day after this one began.
  ended_at    timestamptz
);
INSERT INTO ledger_reconciliation DEFAULT VALUES;

-- Orders for which the provider gave no usable answer. The passes skip them, and each is asked about
-- again: soon at first, then every hour.
CREATE TABLE unreconciled_orders (
  order_id  uuid PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  since     timestamptz NOT NULL DEFAULT clock_timestamp(),
  tried_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

----------------------------------------------------------------------------------------------------------------- tickets

CREATE TABLE tickets (
  id         uuid NOT NULL UNIQUE,
  offer_id   integer NOT NULL REFERENCES offers,
  number     integer NOT NULL CHECK (number >= 1),
  user_id    bigint NOT NULL REFERENCES users,
  order_id   uuid REFERENCES orders,
  source     text NOT NULL CHECK (source IN ('paid', 'postal', 'demo')),
  status     text NOT NULL DEFAULT 'valid' CHECK (status IN ('valid', 'void')),
  issued_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT tickets_number_once PRIMARY KEY (offer_id, number),
  CONSTRAINT tickets_paid_have_order CHECK ((source = 'paid') = (order_id IS NOT NULL))
);
CREATE INDEX tickets_user ON tickets (user_id, issued_at DESC);
CREATE INDEX tickets_order ON tickets (order_id);

------------------------------------------------------------------------------------------------------------------- emails

-- The outbox: emails stay here until a mail server has accepted them (ADR 0014).
CREATE TABLE emails (
  id             uuid PRIMARY KEY,
  -- What the e-mail is about, such as 'receipt:<order>': one e-mail for each key.
  key            text NOT NULL UNIQUE CHECK (length(key) BETWEEN 1 AND 200),
  kind           text NOT NULL CHECK (kind ~ '^[a-z]+(-[a-z]+)*$'),
  recipient      text NOT NULL,
  reply_to       text,
  language       text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  subject        text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
  body_text      text NOT NULL,
  body_html      text NOT NULL,
  -- {"kind", "ref"} of an e-mail whose bodies are written when it is sent (ADR 0027). They are empty here then.
  body_ref       jsonb,
  -- Made when the e-mail is sent and never stored: [{"kind", "ref"}], and its one secret link.
  attachments    jsonb NOT NULL DEFAULT '[]',
  secret_link    jsonb,
  state          text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sending', 'sent', 'kept', 'failed')),
  attempts       integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- Queued: not sent before this time. Sending: until this time it belongs to the process that sends it.
  due_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- After this time the e-mail has no use and is not sent.
  useful_until   timestamptz,
  last_error     text,
  queued_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  closed_at      timestamptz,
  -- Set when text and address have been erased. The row stays, so that the e-mail is never sent again.
  erased_at      timestamptz,
  CONSTRAINT emails_no_header_injection CHECK (
    recipient ~ '^[^[:cntrl:][:space:]]+@[^[:cntrl:][:space:]]+$'
    AND (reply_to IS NULL OR reply_to ~ '^[^[:cntrl:][:space:]]+@[^[:cntrl:][:space:]]+$')
    AND subject !~ '[[:cntrl:]]'
  ),
  CONSTRAINT emails_closed CHECK ((closed_at IS NULL) = (state IN ('queued', 'sending'))),
  CONSTRAINT emails_say_something_once CHECK (body_ref IS NULL OR (body_text = '' AND body_html = ''))
);
CREATE INDEX emails_due ON emails (due_at) WHERE state IN ('queued', 'sending');
CREATE INDEX emails_newest ON emails (queued_at DESC);
CREATE INDEX emails_failed ON emails (closed_at) WHERE state = 'failed';
CREATE INDEX emails_to_erase ON emails (closed_at) WHERE erased_at IS NULL AND closed_at IS NOT NULL;

------------------------------------------------------------------------------------------------------------------ alerts

-- Matters that staff must look at (ADR 0020).
CREATE TABLE alerts (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind         text NOT NULL CHECK (kind ~ '^[a-zA-Z]+$'),
  -- An order or an invariant, for example; empty for the whole shop.
  subject      text NOT NULL DEFAULT '',
  details      jsonb NOT NULL DEFAULT '{}',
  since        timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen    timestamptz NOT NULL DEFAULT clock_timestamp(),
  times        integer NOT NULL DEFAULT 1,
  resolved_at  timestamptz
);
-- One open row for each matter, whoever finds it and however often.
CREATE UNIQUE INDEX alerts_open ON alerts (kind, subject) WHERE resolved_at IS NULL;
CREATE INDEX alerts_newest ON alerts (since DESC);

-- What concerns the security of accounts: logins, passwords, sessions, refusals, limits, actions of staff. Never an
-- address, an e-mail or a token.
CREATE TABLE security_events (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- See src/platform/security-log.ts.
  event    text NOT NULL CHECK (event ~ '^[a-z_]+$'),
  -- Whose account, of an action of staff who acted; null for an unknown one. No reference: it outlives the account.
  user_id  bigint,
  -- Keyed hash of the network.
  network  text CHECK (network ~ '^[0-9a-f]{32}$'),
  -- A code, or the call.
  detail   text,
  -- Equal events of one moment are one row.
  times    integer NOT NULL DEFAULT 1,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX security_events_user ON security_events (user_id, id DESC);
CREATE INDEX security_events_at ON security_events (at);

-- When each background job last ended well, in any process.
CREATE TABLE job_runs (
  job       text PRIMARY KEY,
  ended_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row for each run of db/invariants.sql by a worker.
CREATE TABLE invariant_checks (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  checked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  took_ms     integer NOT NULL,
  -- Names of the invariants that do not hold, and of those that could not be checked.
  broken      text[] NOT NULL,
  unknown     text[] NOT NULL
);
CREATE INDEX invariant_checks_newest ON invariant_checks (checked_at DESC);

---------------------------------------------------------------------------------------------------------------- platform

-- Recent attempts that are limited, shared by all processes (ADR 0019). Unlogged: after a crash of the database the counts
-- start at zero.
CREATE UNLOGGED TABLE limit_counters (
  -- A keyed hash of what is counted and for whom, never an address or a name itself.
  key            bytea PRIMARY KEY CHECK (length(key) = 16),
  count          integer NOT NULL CHECK (count >= 0),
  -- The end of the period; the row has no meaning afterwards.
  until          timestamptz NOT NULL,
  -- Refused until then, for limits where each failure makes the next wait longer.
  blocked_until  timestamptz
) WITH (fillfactor = 70);
CREATE INDEX limit_counters_age ON limit_counters (until);

-- Answers to calls with an Idempotency-Key: the same call gets the same answer for a day.
CREATE TABLE idempotency_keys (
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- Hash of method, address and body: the same key with a different call is refused.
  fingerprint  bytea NOT NULL CHECK (length(fingerprint) = 32),
  -- Null while the first call is in progress.
  status       integer CHECK (status BETWEEN 200 AND 499),
  answer       text,
  begun_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, key),
  CONSTRAINT idempotency_keys_whole CHECK ((status IS NULL) = (answer IS NULL))
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (begun_at);

-- One row once the demonstration has filled this database, which live mode then refuses.
CREATE TABLE demonstration (
  filled_at  timestamptz PRIMARY KEY DEFAULT now()
);
