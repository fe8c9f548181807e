-- Staff correct a customer's address: a link goes to the new one, as for a change that the customer asks for.

ALTER TABLE email_links DROP CONSTRAINT email_links_purpose_check;
ALTER TABLE email_links ADD CONSTRAINT email_links_purpose_check
  CHECK (purpose IN ('confirm', 'allow', 'change', 'correct', 'undo'));

-- Who of staff asked for a correction, and why: words about a customer, which go with the link or the account.
ALTER TABLE email_links ADD COLUMN asked_by bigint REFERENCES users;
ALTER TABLE email_links ADD COLUMN note text;
ALTER TABLE email_links ADD CONSTRAINT email_links_corrected_by_staff CHECK (
  (purpose = 'correct') = (asked_by IS NOT NULL) AND (purpose = 'correct') = (note IS NOT NULL)
);

DROP INDEX email_links_one_change;
CREATE UNIQUE INDEX email_links_one_change ON email_links (user_id)
  WHERE purpose IN ('allow', 'change', 'correct') AND ended_at IS NULL;
