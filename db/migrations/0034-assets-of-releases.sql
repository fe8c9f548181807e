-- Files of built pages, so that every process serves those of the other releases that run or have run lately (ADR 0100).
-- Going back: yes

CREATE TABLE assets (
  -- The address, with a hash of the content in it.
  path    text PRIMARY KEY,
  type    text NOT NULL,
  content bytea NOT NULL,
  -- The same content compressed, where that makes sense.
  brotli  bytea,
  gzip    bytea,
  -- When a process last had the file on its disk.
  used_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- All of it is compressed already, or has compressed copies.
ALTER TABLE assets ALTER content SET STORAGE EXTERNAL, ALTER brotli SET STORAGE EXTERNAL, ALTER gzip SET STORAGE EXTERNAL;
CREATE INDEX assets_by_use ON assets (used_at);
