-- Reasons are codes (src/features/orders/order-machine.rules.ts); what else is to be kept of one stands beside it.
ALTER TABLE order_events ADD COLUMN note text;
ALTER TABLE refunds ADD COLUMN note text;
ALTER TABLE refunds ADD CONSTRAINT refunds_reason_is_a_code CHECK (reason ~ '^[a-z_]+$');
ALTER TABLE order_events ADD CONSTRAINT order_events_reason_is_a_code CHECK (reason ~ '^[a-z_]+$');

ALTER TABLE captures ADD CONSTRAINT captures_status
  CHECK (status IN ('pending', 'completed', 'partially_refunded', 'refunded', 'declined', 'failed', 'unknown'));

-- When the refund of a line was requested; when all money of a cancelled offer was back.
ALTER TABLE order_lines RENAME COLUMN returned_at TO refund_requested_at;
ALTER TABLE offers RENAME COLUMN returned_at TO refunds_completed_at;
ALTER TABLE offers RENAME CONSTRAINT offers_returned_were_cancelled TO offers_refunded_were_cancelled;
ALTER INDEX offers_to_return RENAME TO offers_to_refund;

-- The reconciliation of our ledger with the provider's.
ALTER TABLE book_comparison RENAME TO ledger_reconciliation;
ALTER TABLE ledger_reconciliation RENAME COLUMN begun_at TO started_at;
ALTER TABLE uncompared_orders RENAME TO unreconciled_orders;
ALTER TABLE orders RENAME COLUMN compared_at TO reconciled_at;
