-- The search box finds messages by the beginning of who wrote them.
CREATE INDEX messages_email_begins ON messages ((lower(email) COLLATE "C"), id);
CREATE INDEX messages_name_begins ON messages ((lower(name) COLLATE "C"), id);
