-- For jobs that look at the latest orders, or at the oldest. A row is written behind the others whenever its order moves,
-- so that the times of a page lie close together; this costs a purchase nothing. Beside now(), which stands still during
-- a statement; beside clock_timestamp() no index helps.
CREATE INDEX orders_by_time ON orders USING brin (changed_at, created_at) WITH (pages_per_range = 16, autosummarize = on);
