-- The embedded log: batches of entries, packed as they were appended together, and how far each consumer group has read.

-- Every append updates its topic's row, and locks it until the commit: batches become visible in the order of their offsets.
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
-- The content is packed already; compressing it again only costs time.
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

-- Records of either log that a consumer group could not process although its stores answered: set aside with the reason, so that
-- those behind them go on. An operator replays them.
CREATE TABLE dead_letters (
  -- Digest of topic, group, key and value: set aside again, a record stays one row.
  letter_id  text PRIMARY KEY,
  topic      text NOT NULL,
  group_name text NOT NULL,
  -- An organization, or a project if the record names that alone; empty: not known. One tenant's letters do not use up the room of others.
  tenant     text NOT NULL DEFAULT '',
  key        text NOT NULL,
  value      bytea NOT NULL,
  -- Erasure cannot find it, so it is kept for a shorter time.
  unreadable boolean NOT NULL DEFAULT false,
  -- The handler's last error.
  reason     text NOT NULL,
  tries      integer NOT NULL DEFAULT 1,
  failed_at  timestamptz NOT NULL DEFAULT now(),
  -- When an operator asked for a replay; null: nobody did since it failed.
  asked_at   timestamptz
);
CREATE INDEX dead_letters_by_group ON dead_letters (group_name, failed_at);
CREATE INDEX dead_letters_by_tenant ON dead_letters (group_name, tenant, letter_id);
CREATE INDEX dead_letters_asked ON dead_letters (asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX dead_letters_unreadable ON dead_letters (failed_at) WHERE unreadable;
