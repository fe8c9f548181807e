-- Whose an entry by post is (ADR 0047, 0048): the address on a card may belong to somebody else later, and a refused
-- card has no ticket that names its owner.
ALTER TABLE postal_entries
  -- The account whose confirmed address was on the card when it was registered, or when the address was confirmed.
  ADD COLUMN user_id bigint REFERENCES users;

UPDATE postal_entries e SET user_id = t.user_id
  FROM tickets t
  WHERE t.offer_id = e.offer_id AND t.number = e.ticket_number AND t.user_id IS NOT NULL AND e.erased_at IS NULL;
UPDATE postal_entries e SET user_id = u.id
  FROM users u
  WHERE e.user_id IS NULL AND e.status = 'refused' AND lower(u.email) = lower(e.email)
    AND u.email_confirmed_at IS NOT NULL;
UPDATE emails SET user_id = e.user_id
  FROM postal_entries e
  WHERE emails.key IN ('postal-entry:' || e.id, 'postal-cancelled:' || e.id)
    AND emails.user_id IS NULL AND emails.erased_at IS NULL AND e.user_id IS NOT NULL;

ALTER TABLE postal_entries
  DROP CONSTRAINT postal_entries_erased,
  ADD CONSTRAINT postal_entries_erased CHECK (
    erased_at IS NULL
    OR (name IS NULL AND address IS NULL AND postcode IS NULL AND city IS NULL AND country IS NULL
        AND date_of_birth IS NULL AND email IS NULL AND answer IS NULL AND person_key IS NULL
        AND postcode_key IS NULL AND words = '' AND user_id IS NULL)
  );
CREATE INDEX postal_entries_by_user ON postal_entries (user_id) WHERE user_id IS NOT NULL;
