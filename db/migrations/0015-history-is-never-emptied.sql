-- The history of orders only grows: emptying the table fires no trigger of a row.
CREATE TRIGGER order_events_never_emptied BEFORE TRUNCATE ON order_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
