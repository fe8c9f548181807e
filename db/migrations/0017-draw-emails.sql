-- Whom the shop writes to about a draw: each account with a valid number, and whoever entered by post and gave an address.

-- A row once the recipients of a contest are stored.
CREATE TABLE draw_mailings (
  offer_id   integer PRIMARY KEY REFERENCES draws,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE draw_recipients (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  offer_id        integer NOT NULL REFERENCES draw_mailings,
  user_id         bigint REFERENCES users,
  postal_entry_id uuid REFERENCES postal_entries,
  -- When the email about the sealed list, and that about the result, was put into the outbox.
  sealed_at       timestamptz,
  result_at       timestamptz,
  CONSTRAINT draw_recipients_is_one CHECK (num_nonnulls(user_id, postal_entry_id) = 1)
);
CREATE INDEX draw_recipients_without_seal ON draw_recipients (offer_id, id) WHERE sealed_at IS NULL;
CREATE INDEX draw_recipients_without_result ON draw_recipients (offer_id, id) WHERE result_at IS NULL;
