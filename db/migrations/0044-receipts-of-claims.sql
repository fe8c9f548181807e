-- A claim stands in the log of its contest, and its winner has a receipt; the seal gives the root of the valid rows, too
-- (docs/draw-v1.md, sections 4 and 7).
-- Going back: no, an older version would seal lists in a form that this one does not read

-- Whatever is sealed was sealed in the former form: it counts as older, is not drawn any more, and its check fails.
ALTER TABLE draws DISABLE TRIGGER draws_only_grow;
UPDATE draws d SET terms_version = 1
WHERE EXISTS (SELECT FROM draw_lists l WHERE l.offer_id = d.offer_id AND l.name = 'list.txt');
ALTER TABLE draws ENABLE TRIGGER draws_only_grow;

-- The tree of all rows, and that of the valid ones, which lists that are sealed already do not have.
ALTER TABLE draw_list_tiles
  ADD COLUMN of_valid boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT draw_list_tiles_pkey,
  ADD PRIMARY KEY (offer_id, of_valid, level, index);
ALTER TABLE draw_list_tiles ALTER COLUMN of_valid DROP DEFAULT;
DROP INDEX draw_list_tiles_by_number;
CREATE INDEX draw_list_tiles_by_number ON draw_list_tiles (offer_id, of_valid, first_number) WHERE level = 0;

ALTER TABLE draw_claims
  -- Of the claim as it was submitted last, in `claim.txt`. Erased with it: the leaf then tells nobody anything.
  ADD COLUMN leaf_salt bytea CHECK (length(leaf_salt) = 32),
  -- SHA-256 of that file, and its leaf; null while the leaf waits, because the register is halted.
  ADD COLUMN leaf_hash bytea CHECK (length(leaf_hash) = 32),
  ADD COLUMN leaf_index integer CHECK (leaf_index > 0),
  ADD CONSTRAINT draw_claims_leaf_whole CHECK (num_nulls(leaf_hash, leaf_index) IN (0, 2)),
  ADD CONSTRAINT draw_claims_salt_is_of_claims CHECK (
    leaf_salt IS NULL OR (submitted_at IS NOT NULL AND erased_at IS NULL)
  );

-- Claims that wait for staff get their leaf by the job.
UPDATE draw_claims SET leaf_salt = sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
WHERE submitted_at IS NOT NULL AND erased_at IS NULL AND awarded_at IS NULL AND forfeited_at IS NULL;
CREATE INDEX draw_claims_without_leaf ON draw_claims (offer_id, attempt)
  WHERE leaf_salt IS NOT NULL AND leaf_index IS NULL;

-- Nothing is awarded without a leaf of its claim; what was, stays so.
CREATE FUNCTION require_claim_leaf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.leaf_index IS NULL THEN
    RAISE EXCEPTION 'the claim of attempt % of contest % is not in the log', NEW.attempt, NEW.offer_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER draw_claims_awarded_with_leaf BEFORE UPDATE ON draw_claims
  FOR EACH ROW WHEN (OLD.awarded_at IS NULL AND NEW.awarded_at IS NOT NULL)
  EXECUTE FUNCTION require_claim_leaf();
CREATE TRIGGER draw_claims_leaf_stays BEFORE UPDATE ON draw_claims
  FOR EACH ROW WHEN (
    OLD.awarded_at IS NOT NULL AND (OLD.leaf_hash, OLD.leaf_index) IS DISTINCT FROM (NEW.leaf_hash, NEW.leaf_index)
  ) EXECUTE FUNCTION refuse_change();
