-- What the rules promise to delete, found without reading whole tables.

-- Set once a mail's text and address are erased; its row stays, so that it is never sent again.
ALTER TABLE mails ADD COLUMN erased_at timestamptz;
CREATE INDEX mails_to_erase ON mails (closed_at) WHERE erased_at IS NULL AND closed_at IS NOT NULL;

CREATE INDEX webhook_inbox_to_erase ON webhook_inbox (handled_at) WHERE payload <> '{}';
