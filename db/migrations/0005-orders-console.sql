-- Orders in the console: refunds of a part by staff, notes, and the indexes of its search and lists.

-- Tickets of the line that are void and whose refund is requested: of a cancelled contest all of them, of a refund by
-- staff as many as were chosen.
ALTER TABLE order_lines ADD COLUMN returned_quantity integer NOT NULL DEFAULT 0;
UPDATE order_lines SET returned_quantity = quantity WHERE refund_requested_at IS NOT NULL;
ALTER TABLE order_lines
  ADD CONSTRAINT order_lines_return_what_was_bought CHECK (returned_quantity BETWEEN 0 AND quantity),
  -- `refund_requested_at` is when the last ticket of the line was returned.
  ADD CONSTRAINT order_lines_wholly_returned CHECK ((refund_requested_at IS NOT NULL) = (returned_quantity = quantity));

ALTER TABLE refunds
  -- Who of staff asked for it, with the code of why; `reason` is then 'staff_request'.
  ADD COLUMN requested_by bigint REFERENCES users,
  ADD COLUMN staff_reason text CONSTRAINT refunds_staff_reason_is_known CHECK (staff_reason IN (
    'customer_request', 'duplicate', 'prize_changed', 'goodwill', 'error', 'fraud', 'other'
  )),
  ADD COLUMN approval_id bigint REFERENCES approvals,
  -- Null: all that was left, or a share of cancelled contests. 'lines': for the tickets in refund_lines, which become
  -- void once it is done. 'amount': an amount that is for no tickets.
  ADD COLUMN part text CONSTRAINT refunds_part_is_known CHECK (part IN ('lines', 'amount')),
  ADD CONSTRAINT refunds_by_staff_have_a_reason CHECK ((requested_by IS NULL) = (staff_reason IS NULL)),
  ADD CONSTRAINT refunds_of_parts_are_by_staff CHECK (part IS NULL OR requested_by IS NOT NULL),
  ADD CONSTRAINT refunds_approved_are_by_staff CHECK (approval_id IS NULL OR requested_by IS NOT NULL);
CREATE INDEX refunds_failed ON refunds (changed_at) WHERE status = 'failed' AND requested_by IS NOT NULL;
-- One refund for each decision of two people.
CREATE INDEX refunds_approved ON refunds (approval_id) WHERE approval_id IS NOT NULL;

CREATE TABLE refund_lines (
  refund_id  bigint NOT NULL REFERENCES refunds ON DELETE CASCADE,
  offer_id   integer NOT NULL REFERENCES offers,
  quantity   integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (refund_id, offer_id)
);

-- What staff write about an order, for each other. Notes are only added; their text goes when the buyer's data go.
CREATE TABLE order_notes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id   uuid NOT NULL REFERENCES orders,
  author_id  bigint NOT NULL REFERENCES users,
  text       text NOT NULL CHECK (length(text) <= 2000),
  at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  erased_at  timestamptz,
  CONSTRAINT order_notes_say_something CHECK ((erased_at IS NULL) = (text <> ''))
);
CREATE INDEX order_notes_order ON order_notes (order_id, id);
CREATE TRIGGER order_notes_only_grow BEFORE UPDATE ON order_notes
  FOR EACH ROW WHEN (
    OLD.erased_at IS NOT NULL OR NEW.erased_at IS NULL
    OR (NEW.id, NEW.order_id, NEW.author_id, NEW.at) IS DISTINCT FROM (OLD.id, OLD.order_id, OLD.author_id, OLD.at)
  ) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER order_notes_never_deleted BEFORE DELETE ON order_notes
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER order_notes_never_emptied BEFORE TRUNCATE ON order_notes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The newest orders of a contest. It replaces an index of the offer alone.
DROP INDEX order_lines_offer;
CREATE INDEX order_lines_offer ON order_lines (offer_id, order_id);
-- The newest orders of a state; ids are in the order of time. Those that are being paid have indexes of their own and
-- are few, so that a purchase enters this one once.
CREATE INDEX orders_of_state ON orders (state, id) WHERE state NOT IN ('held', 'capturing', 'pending');

-- Beginnings of e-mail addresses and usernames, and ends of phone numbers, whatever the collation of the database.
CREATE INDEX users_email_begins ON users ((lower(email) COLLATE "C"), id);
CREATE INDEX users_username_begins ON users ((lower(username) COLLATE "C"), id);
CREATE INDEX users_phone_ends ON users ((reverse(phone) COLLATE "C")) WHERE phone <> '';

-- Emails about an order have keys with its id. One index instead of two: this operator class serves equality, too.
ALTER TABLE emails DROP CONSTRAINT emails_key_key;
CREATE UNIQUE INDEX emails_key_key ON emails (key text_pattern_ops);

-- The order that a notification was about, for staff. No reference, since its check would wait for the order's lock.
ALTER TABLE webhook_inbox ADD COLUMN order_id uuid;
CREATE INDEX webhook_inbox_order ON webhook_inbox (order_id) WHERE order_id IS NOT NULL;
