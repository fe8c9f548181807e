-- What must be true of every shop at every moment. Each statement below answers the rows that break its promise, with
-- enough to find them; no row means that it holds. They read one snapshot: a purchase under way breaks none of them. What
-- may be untrue for a while has its time, by the database's clock.
--
-- `npm run invariants` runs them, and so does the worker every hour. By hand: psql -f db/invariants.sql

-- I1: Issued numbers are counted as sold, held tickets as held, and no contest is oversold.
-- A number that became void stays issued: it is never given to somebody else.
SELECT o.id AS offer_id, o.slug, o.total_tickets, o.tickets_sold, coalesce(t.issued, 0) AS issued,
       o.tickets_held, coalesce(h.held, 0) AS held_by_orders
FROM offers o
LEFT JOIN (SELECT offer_id, count(*) AS issued FROM tickets GROUP BY offer_id) t ON t.offer_id = o.id
LEFT JOIN (
  SELECT l.offer_id, sum(l.quantity) AS held
  FROM orders r JOIN order_lines l ON l.order_id = r.id
  WHERE r.state IN ('held', 'capturing', 'pending')
  GROUP BY l.offer_id
) h ON h.offer_id = o.id
WHERE o.tickets_sold <> coalesce(t.issued, 0)
   OR o.tickets_held <> coalesce(h.held, 0)
   OR o.tickets_sold + o.tickets_held > o.total_tickets
ORDER BY o.id;

-- I2: A contest gives each number once, from 1 to its total, in the order of its key.
-- The order is not for SQL: whoever asks from a program has the keys replayed, too (number-replay.ts of tickets), and is
-- told of numbers that their contest has not come to.
SELECT t.offer_id, o.slug, t.number, t.times, o.total_tickets
FROM (SELECT offer_id, number, count(*) AS times FROM tickets GROUP BY offer_id, number) t
JOIN offers o ON o.id = t.offer_id
WHERE t.times > 1 OR t.number NOT BETWEEN 1 AND o.total_tickets
ORDER BY t.offer_id, t.number;

-- I3: Money that was taken and does not go back has exactly its tickets, and what has none goes back.
-- An order in review has neither: it waits for staff, and has an alert of its own. One in refunding is on its way back
-- from the moment it says so: what the provider has returned already is asked before the rest is wished for. That takes
-- a moment as a rule, and as long as the provider is away; after an hour somebody should know.
-- What a completed order has not had back is no more than its tickets cost that were not returned: a cancelled contest's
-- share is on its way from the mark on, that of tickets which staff refunded is back by then, each line half a cent up or down, and a payment made twice has no lines at all.
-- Less is no fault: a part may go back as a courtesy. Where the provider refuses a share, since some of it is back
-- already, that is taken over first; ten minutes are many for that.
WITH money AS (
  SELECT r.id, r.state, r.total_cents, c.taken, coalesce(f.back, 0) AS back, coalesce(f.is_open, false) AS is_open,
         f.refused_at
  FROM orders r
  LEFT JOIN (
    SELECT order_id, sum(amount_cents) AS taken FROM captures
    WHERE status IN ('completed', 'partially_refunded', 'refunded') GROUP BY order_id
  ) c ON c.order_id = r.id
  LEFT JOIN (
    SELECT order_id, sum(amount_cents) FILTER (WHERE status <> 'failed') AS back,
           bool_or(status IN ('requested', 'pending')) AS is_open,
           max(changed_at) FILTER (WHERE status = 'failed') AS refused_at
    FROM refunds GROUP BY order_id
  ) f ON f.order_id = r.id
), paid AS (
  SELECT id, state FROM money
  WHERE state NOT IN ('review', 'refunding') AND (taken IS NOT NULL OR state = 'completed') AND back < coalesce(taken, 1)
), bought AS (
  -- The share of returned tickets is on its way back, or staff had it sent back.
  SELECT l.order_id, l.offer_id, l.quantity - l.returned_quantity AS quantity
  FROM order_lines l JOIN paid ON paid.id = l.order_id
  WHERE l.returned_quantity < l.quantity
), given AS (
  -- Tickets that their owner gave up are void, and their money does not go back.
  SELECT t.order_id, t.offer_id, count(*) AS valid
  FROM tickets t JOIN paid ON paid.id = t.order_id
  LEFT JOIN bought ON bought.order_id = t.order_id AND bought.offer_id = t.offer_id
  WHERE t.status = 'valid' OR (t.given_up_at IS NOT NULL AND bought.order_id IS NOT NULL)
  GROUP BY t.order_id, t.offer_id
), returned AS (
  SELECT order_id, count(*) FILTER (WHERE returned_quantity > 0) AS lines,
         sum(quantity * unit_cents::bigint) AS whole, sum(returned_quantity * unit_cents::bigint) AS part
  FROM order_lines GROUP BY order_id HAVING max(returned_quantity) > 0
)
SELECT 'not the tickets that were bought' AS fault, order_id, paid.state, offer_id,
       coalesce(bought.quantity, 0) AS bought, coalesce(given.valid, 0) AS valid,
       NULL::bigint AS taken_cents, NULL::bigint AS back_cents
FROM bought FULL JOIN given USING (order_id, offer_id) JOIN paid ON paid.id = order_id
WHERE coalesce(bought.quantity, 0) <> coalesce(given.valid, 0)
UNION ALL
SELECT 'more is left here than the tickets cost', money.id, money.state, NULL, NULL, NULL, money.taken, money.back
FROM money LEFT JOIN returned ON returned.order_id = money.id
WHERE money.state = 'completed'
  AND money.taken - money.back >
      money.total_cents - coalesce(money.total_cents * returned.part / returned.whole - returned.lines / 2.0, 0)
  AND coalesce(money.refused_at < now() - interval '10 minutes', true)
UNION ALL
SELECT 'its way back is not written down', id, state, NULL, NULL, NULL, taken, back
FROM money
WHERE state = 'refunding' AND NOT is_open
  AND (SELECT max(e.at) FROM order_events e WHERE e.order_id = money.id AND e.to_state = 'refunding')
      < now() - interval '1 hour'
ORDER BY 2, 4;

-- I4: A valid paid ticket has its money: the order's sum was captured and has not gone back whole. It is its buyer's.
-- Only a paid order has any, or one that was paid until its money set out. How much is back, the refunds say that are
-- done: a payment is called refunded while they are pending, and they may still fail.
WITH covered AS (
  SELECT DISTINCT c.order_id FROM captures c
  JOIN orders r ON r.id = c.order_id AND r.total_cents = c.amount_cents AND r.currency = c.currency
  WHERE c.status IN ('completed', 'partially_refunded', 'refunded')
    AND c.amount_cents > coalesce(
      (SELECT sum(f.amount_cents) FROM refunds f WHERE f.capture_id = c.capture_id AND f.status = 'completed'), 0)
), judged AS (
  SELECT r.id AS order_id, r.state, t.offer_id, t.number,
         CASE
           WHEN covered.order_id IS NULL THEN 'no money covers it'
           WHEN t.user_id <> r.user_id THEN 'somebody else has it'
           WHEN r.state NOT IN ('completed', 'refunding', 'review') THEN 'its order is not paid'
         END AS fault
  FROM tickets t
  LEFT JOIN orders r ON r.id = t.order_id
  LEFT JOIN covered ON covered.order_id = t.order_id
  WHERE t.source = 'paid' AND t.status = 'valid'
)
SELECT order_id, state, offer_id, fault, min(number) AS first_number, count(*) AS tickets
FROM judged
WHERE fault IS NOT NULL
GROUP BY order_id, state, offer_id, fault
ORDER BY order_id, offer_id, fault;

-- I5: Our book of the money and the provider's say the same, both ways, to the cent.
-- The provider's book is JSON in the setting volant.provider_ledger: {"orders": null for all of it, or the provider's ids
-- of the orders that were asked for, "captures": [{capture_id, provider_order_id, status, cents, currency,
-- refunded_cents}]}. Without it there is nothing to compare with, which is no success. An order whose payment is
-- under way is compared once it is settled. Where money is going back the provider may have sent what our book does not
-- know of yet, as long as a refund is open or was to be asked for within the hour; what was taken is compared all the same.
WITH book AS (
  SELECT nullif(current_setting('volant.provider_ledger', true), '')::jsonb AS said
), theirs AS (
  SELECT t.* FROM book, jsonb_to_recordset(book.said -> 'captures') AS t (
    capture_id text, provider_order_id text, status text, cents bigint, currency text, refunded_cents bigint
  )
  WHERE t.status NOT IN ('declined', 'failed')
), asked AS (
  SELECT jsonb_array_elements_text(nullif(book.said -> 'orders', 'null')) AS provider_order_id FROM book
), ours AS (
  SELECT c.capture_id, r.provider_order_id, c.status, c.amount_cents, c.currency,
         coalesce((SELECT sum(f.amount_cents) FROM refunds f
                   WHERE f.capture_id = c.capture_id AND f.status = 'completed'), 0) AS refunded_cents
  FROM book, captures c JOIN orders r ON r.id = c.order_id
  WHERE book.said IS NOT NULL AND c.status NOT IN ('declined', 'failed')
    AND (book.said -> 'orders' = 'null' OR r.provider_order_id IN (SELECT provider_order_id FROM asked))
), going_back AS (
  SELECT order_id FROM refunds WHERE status IN ('requested', 'pending')
  UNION
  SELECT e.order_id FROM order_events e JOIN orders r ON r.id = e.order_id AND r.state = 'refunding'
  WHERE e.to_state = 'refunding' AND e.at > now() - interval '1 hour'
), compared AS (
  SELECT capture_id, coalesce(theirs.provider_order_id, ours.provider_order_id) AS provider_order_id,
         ours.status AS our_status, theirs.status AS their_status,
         ours.amount_cents AS our_cents, theirs.cents AS their_cents,
         ours.refunded_cents AS our_refunded_cents, theirs.refunded_cents AS their_refunded_cents,
         CASE
           WHEN theirs.capture_id IS NULL THEN 'the provider knows no such capture'
           WHEN ours.capture_id IS NULL THEN 'our book lacks this capture'
           WHEN ours.provider_order_id IS DISTINCT FROM theirs.provider_order_id THEN 'another order'
           WHEN ours.amount_cents <> theirs.cents OR ours.currency <> theirs.currency THEN 'another amount'
           WHEN ours.refunded_cents <> theirs.refunded_cents THEN 'another amount went back'
           WHEN (ours.status = 'pending') <> (theirs.status = 'pending') THEN 'another state'
           WHEN theirs.status = 'refunded' AND theirs.refunded_cents < theirs.cents
             OR theirs.status = 'partially_refunded' AND theirs.refunded_cents = 0
             THEN 'it went back, and by which refund is not told'
         END AS fault
  FROM ours FULL JOIN theirs USING (capture_id)
)
SELECT compared.fault, r.id AS order_id, r.state, compared.capture_id, compared.provider_order_id, our_status,
       their_status, our_cents, their_cents, our_refunded_cents, their_refunded_cents
FROM compared LEFT JOIN orders r ON r.provider_order_id = compared.provider_order_id
WHERE compared.fault IS NOT NULL AND coalesce(r.state, '') NOT IN ('capturing', 'pending')
  AND NOT (compared.fault IN ('another amount went back', 'another state', 'it went back, and by which refund is not told')
           AND r.id IN (SELECT order_id FROM going_back))
UNION ALL
SELECT 'the provider''s book was not given', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM book WHERE book.said IS NULL;

-- I6: A version of a cart has one open order.
SELECT user_id, cart_version, count(*) AS open_orders, array_agg(id ORDER BY created_at) AS order_ids
FROM orders
WHERE state IN ('held', 'capturing', 'pending')
GROUP BY user_id, cart_version
HAVING count(*) > 1;

-- I7: No hold outlives its time by more than a minute, unless it is being paid, and none has been given longer than may be.
-- The longest that can be set is three hours (HOLD_MINUTES), and a buyer may have as much again once. Whatever makes a
-- hold longer notes the change in the same statement; a minute is for one that waited for its turn.
SELECT id AS order_id, user_id, state, hold_until, state_changed_at,
       CASE WHEN isfinite(hold_until) THEN now() - hold_until END AS late
FROM orders
WHERE (state = 'held' AND hold_until < now() - interval '60 seconds')
   OR (state IN ('held', 'capturing', 'pending') AND hold_until > state_changed_at + interval '361 minutes')
ORDER BY hold_until;

-- I8: A completed order has one receipt, and one that never was paid has none.
-- The row of a sent mail stays when its text is erased.
SELECT coalesce(r.id::text, substr(m.key, 9)) AS order_id, r.state, coalesce(m.receipts, 0) AS receipts
FROM orders r
FULL JOIN (SELECT key, count(*) AS receipts FROM emails WHERE kind = 'receipt' GROUP BY key) m
  ON m.key = 'receipt:' || r.id
WHERE (r.state = 'completed' AND coalesce(m.receipts, 0) <> 1)
   OR coalesce(m.receipts, 0) > 1
   OR (m.receipts > 0 AND (r.id IS NULL OR r.state IN
        ('held', 'capturing', 'pending', 'expired', 'cancelled', 'superseded')))
ORDER BY 1;

-- I9: No ticket is later than its contest's draw.
-- A sealed contest issues none (trigger offers_sealed_issue_nothing). For others the end stands for the draw: a ticket later
-- than that must be of an order that held it before, whose payment was decided within a month: a payment can be pending for
-- weeks, but PayPal gives back after thirty days what nobody accepted. Or it is of a card that arrived in time, on the
-- day of the end at the latest, and was registered within the same month and before the contest's draw, if that has a
-- time; that day began fourteen hours before UTC's at most. When a payment is decided is for the provider to say, and the
-- time of the draw does not change it. Invented tickets of the demonstration have no date that means anything.
SELECT t.offer_id, f.slug, t.number, t.source, t.issued_at, f.end_date, f.draw_at, t.order_id,
       r.created_at AS ordered_at, p.received_on
FROM tickets t
JOIN offers f ON f.id = t.offer_id
LEFT JOIN orders r ON r.id = t.order_id
LEFT JOIN postal_entries p ON p.offer_id = t.offer_id AND p.ticket_number = t.number
WHERE t.source <> 'demo' AND t.issued_at > f.end_date
  AND (t.issued_at > f.end_date + interval '31 days'
       OR (t.source = 'postal' AND t.issued_at > f.draw_at)
       OR NOT coalesce(r.created_at <= f.end_date,
                       p.received_on <= (f.end_date AT TIME ZONE 'UTC' + interval '14 hours')::date, false))
ORDER BY t.offer_id, t.number;

-- I10: The events of an order, played from the first to the last, are moves it may make and lead to the state it is in.
-- The moves are those of src/features/purchase/orders/order-machine.rules.ts (`npm run order-machine` writes them here).
WITH moves (from_state, to_state) AS (
  VALUES ('new', 'held'),
         ('held', 'held'),
         ('held', 'expired'),
         ('expired', 'held'),
         ('held', 'superseded'),
         ('held', 'cancelled'),
         ('held', 'capturing'),
         ('capturing', 'held'),
         ('capturing', 'cancelled'),
         ('held', 'pending'),
         ('capturing', 'pending'),
         ('pending', 'cancelled'),
         ('held', 'completed'),
         ('capturing', 'completed'),
         ('pending', 'completed'),
         ('expired', 'completed'),
         ('cancelled', 'completed'),
         ('superseded', 'completed'),
         ('held', 'refunding'),
         ('capturing', 'refunding'),
         ('pending', 'refunding'),
         ('expired', 'refunding'),
         ('cancelled', 'refunding'),
         ('superseded', 'refunding'),
         ('completed', 'refunding'),
         ('review', 'refunding'),
         ('refunding', 'refunded'),
         ('completed', 'refunded'),
         ('review', 'refunded'),
         ('refunding', 'review'),
         ('completed', 'review'),
         ('refunded', 'refunding'),
         ('refunded', 'review')
), steps AS (
  SELECT order_id, id, from_state, to_state,
         lag(to_state) OVER played AS state_before,
         lead(id) OVER played IS NULL AS is_last
  FROM order_events
  WINDOW played AS (PARTITION BY order_id ORDER BY id)
)
SELECT r.id AS order_id, r.state, s.id AS event_id, s.state_before, s.from_state, s.to_state
FROM orders r LEFT JOIN steps s ON s.order_id = r.id
LEFT JOIN moves m ON m.from_state = coalesce(s.from_state, 'new') AND m.to_state = s.to_state
WHERE s.id IS NULL
   OR m.to_state IS NULL
   OR s.from_state IS DISTINCT FROM s.state_before
   OR (s.is_last AND s.to_state <> r.state)
ORDER BY r.id, s.id;

-- I11: An entry by post has its own number and every number of the post its entry, of a person one in a contest counts, and
-- the reserve of a contest is used by its entries alone, before anything else.
SELECT 'an entry without its number' AS fault, e.offer_id, e.id AS entry_id, e.ticket_number AS number,
       NULL::bigint AS entered, NULL::int AS reserve, NULL::int AS reserve_used
FROM postal_entries e
LEFT JOIN tickets t ON t.offer_id = e.offer_id AND t.number = e.ticket_number AND t.source = 'postal'
WHERE e.status = 'entered' AND t.id IS NULL
UNION ALL
SELECT 'a number of the post without an entry', t.offer_id, NULL, t.number, NULL, NULL, NULL
FROM tickets t
LEFT JOIN postal_entries e ON e.offer_id = t.offer_id AND e.ticket_number = t.number AND e.status = 'entered'
WHERE t.source = 'postal' AND e.id IS NULL
UNION ALL
SELECT 'more than one entry of a person', offer_id, NULL, min(ticket_number), count(*), NULL, NULL
FROM postal_entries
WHERE status = 'entered' AND voided_at IS NULL AND person_key IS NOT NULL
GROUP BY offer_id, person_key
HAVING count(*) > 1
UNION ALL
SELECT 'another part of the reserve is used than entries took', o.id, NULL, NULL, coalesce(p.entered, 0),
       o.postal_reserve, o.postal_reserve_used
FROM offers o
LEFT JOIN (
  SELECT offer_id, count(*) AS entered FROM postal_entries WHERE status = 'entered' GROUP BY offer_id
) p ON p.offer_id = o.id
WHERE o.postal_reserve_used <> least(o.postal_reserve, coalesce(p.entered, 0))
ORDER BY 2, 4;

-- I12: The events of a contest, played from the first to the last, are moves it may make and lead to the state it is in.
-- The moves are those of src/features/offers/offer-states.rules.ts (`npm run order-machine` writes them here). Events of a
-- deleted draft stay without their contest.
WITH moves (event, from_state, to_state) AS (
  VALUES ('create', 'new', 'draft'),
         ('remove', 'draft', 'deleted'),
         ('schedule', 'draft', 'scheduled'),
         ('unschedule', 'scheduled', 'draft'),
         ('missOpening', 'scheduled', 'draft'),
         ('publish', 'draft', 'open'),
         ('publish', 'scheduled', 'open'),
         ('open', 'scheduled', 'open'),
         ('close', 'open', 'closed'),
         ('stop', 'open', 'closed'),
         ('resume', 'closed', 'open'),
         ('list', 'closed', 'listed'),
         ('seal', 'listed', 'sealed'),
         ('draw', 'sealed', 'drawn'),
         ('award', 'drawn', 'awarded'),
         ('cancel', 'open', 'cancelled'),
         ('cancel', 'closed', 'cancelled'),
         ('cancel', 'listed', 'cancelled'),
         ('cancel', 'sealed', 'cancelled'),
         ('endWithoutEntries', 'sealed', 'cancelled'),
         ('endWithoutEntries', 'drawn', 'cancelled'),
         ('endWithoutBeacon', 'sealed', 'cancelled'),
         ('endWithoutBeacon', 'drawn', 'cancelled')
), steps AS (
  SELECT offer_id, id, event, from_state, to_state,
         lag(to_state) OVER played AS state_before,
         lead(id) OVER played IS NULL AS is_last
  FROM offer_events
  WINDOW played AS (PARTITION BY offer_id ORDER BY id)
)
SELECT o.id AS offer_id, o.state, s.id AS event_id, s.event, s.state_before, s.from_state, s.to_state
FROM offers o LEFT JOIN steps s ON s.offer_id = o.id
LEFT JOIN moves m ON m.event = s.event AND m.from_state = coalesce(s.from_state, 'new') AND m.to_state = s.to_state
WHERE s.id IS NULL
   OR m.to_state IS NULL
   OR s.from_state IS DISTINCT FROM s.state_before
   OR (s.is_last AND s.to_state <> o.state)
ORDER BY o.id, s.id;

-- I13: The log of a contest has every number that the contest issued and every void, its checkpoints cover it, and a list is
-- made from it.
-- What was issued or voided a moment ago is not in the log yet: as long as no list is sealed, the log may be behind. A
-- cancelled contest may have issued numbers after the end of its log; their money goes back.
WITH logs AS (
  SELECT l.id, l.size, l.entries, o.slug, o.state, o.tickets_sold AS issued,
         (SELECT count(*) FROM draw_leaves f WHERE f.log_id = l.id) AS leaves,
         (SELECT count(*) FROM draw_entries e WHERE e.offer_id = l.id) AS logged,
         (SELECT c.size FROM draw_checkpoints c WHERE c.log_id = l.id ORDER BY c.id DESC LIMIT 1) AS signed,
         (SELECT p.paid + p.postal + p.demo FROM draw_lists p WHERE p.offer_id = l.id AND p.name = 'list.txt') AS listed
  FROM draw_logs l LEFT JOIN offers o ON o.id = l.id
), judged AS (
  SELECT logs.*, CASE
    WHEN leaves <> size THEN 'another number of leaves than its size'
    WHEN logged <> entries THEN 'another number of entries than it counts'
    WHEN signed IS DISTINCT FROM size THEN 'its last checkpoint does not cover it'
    WHEN entries > issued THEN 'more entries than numbers were issued'
    WHEN state IN ('sealed', 'drawn', 'awarded') AND (entries <> issued OR listed IS DISTINCT FROM entries)
      THEN 'the sealed list has other entries than were issued'
  END AS fault
  FROM logs
)
SELECT fault, id AS log_id, slug, state, size, leaves, entries, issued, listed FROM judged WHERE fault IS NOT NULL
UNION ALL
SELECT 'voids are missing among those to log', t.offer_id, o.slug, o.state, NULL, NULL, NULL, count(*)::int, NULL
FROM tickets t JOIN offers o ON o.id = t.offer_id
LEFT JOIN draw_voids v ON v.offer_id = t.offer_id AND v.number = t.number AND v.reason = t.void_reason
WHERE t.status = 'void' AND v.number IS NULL
GROUP BY t.offer_id, o.slug, o.state
ORDER BY 2, 1;

-- I14: A contest after `closed` has its list, its round and its winner, as its state says.
SELECT o.id AS offer_id, o.slug, o.state, p.name AS provisional, s.name AS sealed, a.round, a.number
FROM offers o
LEFT JOIN draw_lists p ON p.offer_id = o.id AND p.name = 'provisional.txt'
LEFT JOIN draw_lists s ON s.offer_id = o.id AND s.name = 'list.txt'
LEFT JOIN draw_attempts a ON a.offer_id = o.id AND a.attempt = 0
WHERE (o.state IN ('listed', 'sealed', 'drawn', 'awarded') AND p.name IS NULL)
   OR (o.state IN ('sealed', 'drawn', 'awarded') AND (s.name IS NULL OR a.round IS NULL))
   OR (o.state IN ('open', 'closed', 'listed') AND s.name IS NOT NULL)
   OR (o.state IN ('drawn', 'awarded')) <> (a.number IS NOT NULL AND o.state <> 'cancelled')
ORDER BY o.id;

-- I15: A prize is awarded exactly when the contest says so, to its last winner, and every winner before has forfeited it.
WITH attempts AS (
  SELECT offer_id, attempt, c.awarded_at, c.forfeited_at, f.reason,
         lead(attempt) OVER (PARTITION BY offer_id ORDER BY attempt) IS NULL AS is_last
  FROM draw_attempts
  LEFT JOIN draw_claims c USING (offer_id, attempt)
  LEFT JOIN draw_forfeitures f USING (offer_id, attempt)
)
SELECT o.id AS offer_id, o.slug, o.state, a.attempt, a.reason, a.awarded_at, a.forfeited_at
FROM offers o LEFT JOIN attempts a ON a.offer_id = o.id
WHERE (NOT a.is_last AND a.reason IS NULL)
   OR (a.reason IS NULL) <> (a.forfeited_at IS NULL)
   OR (a.awarded_at IS NOT NULL AND (NOT a.is_last OR o.state <> 'awarded'))
   OR (o.state = 'awarded' AND (a.attempt IS NULL OR (a.is_last AND a.awarded_at IS NULL)))
ORDER BY o.id, a.attempt;
