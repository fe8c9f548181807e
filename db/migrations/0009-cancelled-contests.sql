-- A cancelled contest gives everybody their money back (spec section 1); the worker sends it, order by order.
ALTER TABLE offers
  ADD COLUMN cancelled_at timestamptz,
  ADD COLUMN cancelled_why text CHECK (cancelled_why <> ''),
  -- Set when nothing of the contest's money is left here and none can come any more.
  ADD COLUMN returned_at timestamptz,
  ADD CONSTRAINT offers_cancelled_are_closed CHECK (cancelled_at IS NULL OR NOT active),
  ADD CONSTRAINT offers_cancelled_say_why CHECK ((cancelled_at IS NULL) = (cancelled_why IS NULL)),
  ADD CONSTRAINT offers_returned_were_cancelled CHECK (returned_at IS NULL OR cancelled_at IS NOT NULL);
CREATE INDEX offers_to_return ON offers (cancelled_at) WHERE cancelled_at IS NOT NULL AND returned_at IS NULL;

-- Set in the transaction that voids the line's tickets and writes down the refund of its share.
ALTER TABLE order_lines ADD COLUMN returned_at timestamptz;
