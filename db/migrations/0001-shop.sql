-- The shop's tables. Money is integer cents, time is timestamptz, and what must never happen is a constraint.

CREATE TABLE users (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  username        text NOT NULL CHECK (length(username) BETWEEN 1 AND 150),
  email           text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  password_hash   text NOT NULL,
  phone           text NOT NULL DEFAULT '',
  partner_code    text,
  language        text NOT NULL DEFAULT 'fr' CHECK (language IN ('fr', 'nl', 'en')),
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
  revoked_at    timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id);

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
  -- Running count of issued numbers; never goes down, so that a number is never given twice.
  tickets_sold    integer NOT NULL DEFAULT 0 CHECK (tickets_sold >= 0),
  tickets_held    integer NOT NULL DEFAULT 0 CHECK (tickets_held >= 0),
  active          boolean NOT NULL DEFAULT true,
  end_date        timestamptz NOT NULL,
  question        text,
  question_nl     text,
  question_en     text,
  choices         text[] NOT NULL DEFAULT '{}',
  correct_choice  text,
  -- Key of the permutation that turns the running count into a number; secret until the draw.
  number_key      bytea NOT NULL CHECK (length(number_key) = 32),
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT offers_never_oversold CHECK (tickets_sold + tickets_held <= total_tickets),
  CONSTRAINT offers_question_answerable CHECK (
    (question IS NULL AND correct_choice IS NULL)
    OR (question IS NOT NULL AND correct_choice = ANY (choices))
  )
) WITH (fillfactor = 70);

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

CREATE TABLE carts (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   bigint NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
  -- Rises with every change of the items; an order belongs to one version.
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

-- An order is a snapshot of a cart version with its prices, its hold and its payment.
CREATE TABLE orders (
  id                 uuid PRIMARY KEY,
  user_id            bigint NOT NULL REFERENCES users,
  cart_version       integer NOT NULL,
  state              text NOT NULL CHECK (state IN (
    'held', 'capturing', 'pending', 'completed', 'expired', 'cancelled', 'superseded', 'refunding', 'refunded', 'review'
  )),
  country            text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  language           text NOT NULL CHECK (language IN ('fr', 'nl', 'en')),
  currency           text NOT NULL DEFAULT 'EUR' CHECK (currency = 'EUR'),
  subtotal_cents     integer NOT NULL CHECK (subtotal_cents >= 0),
  tax_percent        numeric(5, 2) NOT NULL,
  tax_cents          integer NOT NULL CHECK (tax_cents >= 0),
  total_cents        integer NOT NULL CHECK (total_cents = subtotal_cents + tax_cents),
  provider_order_id  text UNIQUE,
  payment_url        text,
  -- Rises after a definite decline only, so that a repeated capture request is the same request.
  capture_attempt    integer NOT NULL DEFAULT 1,
  capture_started_at timestamptz,
  hold_until         timestamptz NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT now(),
  changed_at         timestamptz NOT NULL DEFAULT now()
);
-- One open order for each cart version: a repeated create-order finds it instead of holding twice.
CREATE UNIQUE INDEX orders_one_open ON orders (user_id, cart_version) WHERE state IN ('held', 'capturing', 'pending');
CREATE INDEX orders_due ON orders (hold_until) WHERE state = 'held';
CREATE INDEX orders_unsettled ON orders (changed_at) WHERE state IN ('capturing', 'pending', 'refunding');
CREATE INDEX orders_user ON orders (user_id, created_at DESC);

CREATE TABLE order_lines (
  order_id    uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  offer_id    integer NOT NULL REFERENCES offers,
  quantity    integer NOT NULL CHECK (quantity > 0),
  unit_cents  integer NOT NULL CHECK (unit_cents > 0),
  title       text NOT NULL,
  answer      text,
  PRIMARY KEY (order_id, offer_id)
);
CREATE INDEX order_lines_offer ON order_lines (offer_id);

-- Every move of an order, in order; nothing ever changes or deletes a row.
CREATE TABLE order_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id   uuid NOT NULL REFERENCES orders,
  from_state text,
  to_state   text NOT NULL,
  reason     text NOT NULL,
  at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX order_events_order ON order_events (order_id, id);

CREATE TABLE captures (
  capture_id    text PRIMARY KEY,
  order_id      uuid NOT NULL REFERENCES orders,
  status        text NOT NULL,
  amount_cents  integer NOT NULL CHECK (amount_cents >= 0),
  currency      text NOT NULL,
  recorded_at   timestamptz NOT NULL DEFAULT now(),
  changed_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX captures_order ON captures (order_id);

-- One row for each refund we want, written before the provider is asked.
CREATE TABLE refunds (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  capture_id    text NOT NULL REFERENCES captures,
  order_id      uuid NOT NULL REFERENCES orders,
  attempt       integer NOT NULL DEFAULT 1,
  amount_cents  integer NOT NULL CHECK (amount_cents > 0),
  reason        text NOT NULL,
  status        text NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'pending', 'completed', 'failed')),
  refund_id     text UNIQUE,
  created_at    timestamptz NOT NULL DEFAULT now(),
  changed_at    timestamptz NOT NULL DEFAULT now(),
  UNIQUE (capture_id, attempt)
);

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

-- Verified notifications of the payment provider, each stored once.
CREATE TABLE webhook_inbox (
  event_id    text PRIMARY KEY,
  event_type  text NOT NULL,
  payload     jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  handled_at  timestamptz
);
