-- Which records a list showed is looked up by their ids (ADR 0068).
CREATE INDEX audit_log_shown ON audit_log USING gin ((entry::jsonb -> 'after' -> 'shown') jsonb_path_ops)
  WHERE (entry::jsonb -> 'after' -> 'shown') IS NOT NULL;

-- Messages belong to an account from the moment at which it confirms their address; so do the emails that answer them.
UPDATE messages m SET user_id = u.id
  FROM users u
  WHERE m.user_id IS NULL AND u.email_confirmed_at IS NOT NULL AND lower(u.email) = lower(m.email);
UPDATE emails e SET user_id = m.user_id
  FROM message_answers a JOIN messages m ON m.id = a.message_id
  WHERE e.key = 'message-answer:' || a.id AND e.user_id IS NULL AND e.erased_at IS NULL AND m.user_id IS NOT NULL;

-- So do the emails about draws to a poster whose entry got an account meanwhile.
UPDATE emails e SET user_id = p.user_id
  FROM postal_entries p
  WHERE e.key IN ('draw-sealed:post:' || p.id, 'draw-result:post:' || p.id)
    AND e.user_id IS NULL AND e.erased_at IS NULL AND p.user_id IS NOT NULL;

-- The newest first, by the time at which they were queued.
CREATE INDEX emails_failed_newest ON emails (id) WHERE state = 'failed';

-- Of each broken invariant, how many rows break it, and the ids in the first of them: [{"name", "rows", "more", "first"}].
ALTER TABLE invariant_checks ADD COLUMN breaches jsonb NOT NULL DEFAULT '[]';
