-- A request that nobody decides expires, and approved actions are tried in turn (ADR 0049).

ALTER TABLE approvals
  -- When a worker last tried an approved action that its own call had not done.
  ADD COLUMN tried_at timestamptz,
  DROP CONSTRAINT approvals_decision_check,
  ADD CONSTRAINT approvals_decision_check
    CHECK (decision IN ('approved', 'refused', 'withdrawn', 'alone', 'expired')),
  DROP CONSTRAINT approvals_two_people,
  ADD CONSTRAINT approvals_two_people CHECK (
    decision IS NULL
    OR (decision IN ('approved', 'refused') AND decided_by IS NOT NULL AND decided_by <> requested_by)
    OR (decision = 'withdrawn' AND decided_by = requested_by)
    OR (decision = 'alone' AND decided_by = requested_by AND alone_from IS NOT NULL AND decided_at >= alone_from)
    OR (decision = 'expired' AND decided_by IS NULL)
  );
