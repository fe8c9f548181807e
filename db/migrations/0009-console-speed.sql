-- Indexes that measurements of the console with a million orders asked for (npm run bench:console).

-- The newest entries of an action: a rare one was looked for in the whole log.
CREATE INDEX audit_log_action ON audit_log (action, id);
-- Entries by post, for the preview of a cancellation. Tickets that are paid for do not enter it.
CREATE INDEX tickets_without_order ON tickets (offer_id) WHERE order_id IS NULL;
