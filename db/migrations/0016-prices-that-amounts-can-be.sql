-- A ticket costs 4,999,999.99 EUR at most (`MAX_PRICE_CENTS` in src/shared/money.ts): one price above what an amount can
-- be, or whose VAT does not fit beside it, and the list of all contests cannot be shown. Nobody could buy such a ticket.
DO $$
DECLARE
  wrong text;
BEGIN
  SELECT string_agg(format('%s (%s cents)', slug, price_cents), ', ' ORDER BY id) INTO wrong
  FROM offers WHERE price_cents > 499999999;
  IF wrong IS NOT NULL THEN
    RAISE check_violation USING MESSAGE =
      'a ticket may cost 4999999.99 EUR at most; correct offers.price_cents of these contests, then start again: ' || wrong;
  END IF;
END $$;

ALTER TABLE offers ADD CONSTRAINT offers_price_is_an_amount CHECK (price_cents <= 499999999);
