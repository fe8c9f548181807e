-- Disputes and chargebacks at the payment provider, as its notifications tell of them. A dispute is open until the provider has
-- resolved it; one notification may be older than the one before it.
CREATE TABLE disputes (
  id           text PRIMARY KEY,
  -- Null for a payment that the shop does not know.
  order_id     uuid REFERENCES orders,
  capture_id   text,
  -- The provider's own codes.
  reason       text,
  status       text,
  amount_cents integer CHECK (amount_cents >= 0),
  currency     text,
  -- Until when the shop can answer; null when the provider says nothing.
  due_at       timestamptz,
  -- Its page at the provider.
  page         text NOT NULL,
  is_resolved  boolean NOT NULL,
  -- By the provider's clock.
  changed_at   timestamptz NOT NULL,
  noted_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX disputes_of_order ON disputes (order_id);
CREATE INDEX disputes_open ON disputes (due_at) WHERE NOT is_resolved;
