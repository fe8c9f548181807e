-- A card that came in time and that the desk registers after the draw is refused, and its poster gets an apology (ADR 0057).
ALTER TABLE postal_entries
  DROP CONSTRAINT postal_entries_refusal_check,
  ADD CONSTRAINT postal_entries_refusal_check CHECK (refusal IN (
    'illegible', 'incomplete', 'cancelled', 'late', 'under_age', 'country', 'wrong_answer', 'duplicate',
    'registered_late', 'sold_out'
  ));
