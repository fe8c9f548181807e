-- When the buyer of an order whose payment the provider refused went to pay it again: until then nothing but the buyer's own
-- call captures it (ADR 0084).
ALTER TABLE orders ADD COLUMN resumed_at timestamptz;

-- Why the provider refused a refund: a reason of ours (src/platform/payment/payment-provider.ts), and its own code.
ALTER TABLE refunds ADD COLUMN refusal text CHECK (refusal ~ '^[a-z_]+$');
ALTER TABLE refunds ADD COLUMN refusal_code text;
