-- An authenticator that is being set up expires, and approvals keep ids of people instead of their names (ADR 0049).

ALTER TABLE staff_authenticators
  -- When its secret was made: its owner has ten minutes to enter a first code.
  ADD COLUMN started_at timestamptz NOT NULL DEFAULT clock_timestamp();

-- What a role is compared with when it is given is part of the call.
UPDATE approvals
  SET input = input || jsonb_build_object('from', preview -> 'from'), preview = preview - 'name' - 'email'
  WHERE subject_kind = 'staff';
