-- What the jobs of draws need: the way out of a claim that is never proven, who was told of which attempt, and the last
-- checkpoint of each day (docs/adr/0071).

-- Two people may let a claim end as `unclaimed` when its winner has shown no proof of identity in time. It counts as
-- decided by the shop.
ALTER TABLE draw_forfeitures
  DROP CONSTRAINT draw_forfeitures_decided_by_two,
  DROP CONSTRAINT draw_forfeitures_decided,
  ADD CONSTRAINT draw_forfeitures_decided_by_two CHECK (
    CASE reason
      WHEN 'unclaimed' THEN (approval_id IS NOT NULL) = is_decided
      WHEN 'voided' THEN approval_id IS NULL
      ELSE approval_id IS NOT NULL AND is_decided
    END
  );

-- The last attempt of whose result a recipient was told; -1 before the first.
ALTER TABLE draw_recipients ADD COLUMN result_attempt smallint NOT NULL DEFAULT -1;
UPDATE draw_recipients SET result_attempt = 0 WHERE result_at IS NOT NULL;
ALTER TABLE draw_recipients
  ADD CONSTRAINT draw_recipients_result_whole CHECK ((result_at IS NULL) = (result_attempt = -1));
DROP INDEX draw_recipients_without_result;
CREATE INDEX draw_recipients_by_result ON draw_recipients (offer_id, result_attempt, id);

-- `checkpoints.txt` names the last checkpoint of each day.
CREATE INDEX draw_checkpoints_by_time ON draw_checkpoints (log_id, at, id);
