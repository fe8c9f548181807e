-- The search box finds messages by the beginning of who wrote them.
CREATE INDEX messages_email_begins ON messages ((lower(email) COLLATE "C"), id);
CREATE INDEX messages_name_begins ON messages ((lower(name) COLLATE "C"), id);

-- Who looks after an alert, and who closed one that the shop does not resolve itself.
ALTER TABLE alerts
  ADD taken_by  bigint REFERENCES users,
  ADD taken_at  timestamptz,
  -- Of the one who looks after it.
  ADD note      text CHECK (length(note) BETWEEN 1 AND 500),
  ADD closed_by bigint REFERENCES users,
  ADD CONSTRAINT alerts_taken CHECK ((taken_by IS NULL) = (taken_at IS NULL) AND (note IS NULL OR taken_by IS NOT NULL)),
  ADD CONSTRAINT alerts_closed CHECK (closed_by IS NULL OR resolved_at IS NOT NULL);

-- Filters and columns of the list of orders with a name, of one person of staff, on every device.
CREATE TABLE order_views (
  user_id bigint NOT NULL REFERENCES users,
  name    text NOT NULL CHECK (length(name) BETWEEN 1 AND 60 AND name = btrim(name)),
  -- Filters and columns, as in the address of the list.
  query   text NOT NULL CHECK (length(query) BETWEEN 1 AND 500),
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (user_id, name)
);
CREATE FUNCTION drop_order_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM order_views WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER users_without_role_have_no_views AFTER UPDATE OF role ON users
  FOR EACH ROW WHEN (NEW.role IS NULL AND OLD.role IS NOT NULL) EXECUTE FUNCTION drop_order_views();
