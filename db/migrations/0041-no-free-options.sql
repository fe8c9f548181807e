-- What a shop cannot choose any more once somebody can know a winner (docs/draw-v1.md, ADR 0132): another beacon, and a
-- cancellation or a void later than `notice` before a round.
-- Going back: no, an older version would publish terms that this one does not read

-- Null: terms of a demonstration that an older version has published, which this one does not read.
ALTER TABLE draws ADD COLUMN notice_seconds integer CHECK (notice_seconds >= 1);

UPDATE approvals SET decision = 'expired', decided_at = clock_timestamp()
WHERE permission = 'draws.beacon' AND decision IS NULL;

-- A rehearsal of older terms is made again by whoever needs it.
DELETE FROM draw_rehearsals;
