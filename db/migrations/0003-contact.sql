-- When messages of the contact form came in, kept for an hour so that nobody floods the shop's mailbox.

CREATE TABLE contact_arrivals (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- A keyed fingerprint of the sender's network, never the address itself.
  network  bytea NOT NULL CHECK (length(network) = 32),
  came_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX contact_arrivals_age ON contact_arrivals (came_at);
