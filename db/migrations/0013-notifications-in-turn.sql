-- When a notification was last tried in vain: those that cannot be handled yet let the others go first.
ALTER TABLE webhook_inbox ADD COLUMN tried_at timestamptz;
CREATE INDEX webhook_inbox_in_turn ON webhook_inbox ((coalesce(tried_at, received_at))) WHERE handled_at IS NULL;
