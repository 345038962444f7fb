-- The embedded log: batches of entries, packed as they were appended together, and how far each consumer group has read.

-- Every append updates its topic's row, and holds it until the commit: batches become visible in the order of their offsets.
CREATE TABLE log_topics (
  topic      text PRIMARY KEY,
  -- One past the offset of the last entry.
  end_offset bigint NOT NULL
);

CREATE TABLE log_batches (
  topic       text NOT NULL,
  -- One past the offset of the batch's last entry.
  end_offset  bigint NOT NULL,
  entry_count integer NOT NULL CHECK (entry_count > 0),
  content     bytea NOT NULL,
  appended_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (topic, end_offset)
);
-- The content is packed already; trying to compress it again only costs time.
ALTER TABLE log_batches ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE log_groups (
  topic        text NOT NULL,
  group_name   text NOT NULL,
  -- Offset of the next entry to read.
  next_offset  bigint NOT NULL DEFAULT 0,
  -- The member that reads for the group until its lease ends; others stand by.
  member       text,
  lease_until  timestamptz,
  -- A lease ends with the run of the server that gave it: an embedded database and its readers start and end together.
  lease_server timestamptz,
  seen_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (topic, group_name)
);
