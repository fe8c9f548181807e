-- Links in e-mails and letters are made when those are sent, by the key and for the address of that moment (ADR 0105).
-- Going back: yes

-- Further tokens of links: each opens the link that was stored with another hash, by another key.
CREATE TABLE link_tokens (
  hash    bytea PRIMARY KEY CHECK (length(hash) = 32),
  -- That of the row in password_resets, email_links or draw_claims.
  of_hash bytea NOT NULL CHECK (length(of_hash) = 32 AND of_hash <> hash)
);

-- When npm run db:backup wrote a backup, so that the doctor knows how old the last one is.
CREATE TABLE backups (
  taken_at timestamptz PRIMARY KEY DEFAULT clock_timestamp()
);

-- The public address of the shop in the bodies. Null: unknown, or the bodies are written when the e-mail is sent.
ALTER TABLE emails ADD COLUMN written_for text CHECK (written_for ~ '^https?://[^[:space:][:cntrl:]]+$');
