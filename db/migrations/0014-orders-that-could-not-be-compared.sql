-- Orders that could not be compared with the provider's book: it told nothing of them that can be used. The walks go
-- past them, and each is asked about again, at first soon, then every hour.
CREATE TABLE uncompared_orders (
  order_id  uuid PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  since     timestamptz NOT NULL DEFAULT clock_timestamp(),
  tried_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
