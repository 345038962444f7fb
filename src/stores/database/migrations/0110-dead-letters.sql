-- Records of the log that a consumer group could not take although its stores answered: set aside with their reason, so that those
-- behind them go on. An operator has them played again.
CREATE TABLE dead_letters (
  -- Digest of topic, group, key and value: set aside again, a record stays one row.
  letter_id  text PRIMARY KEY,
  topic      text NOT NULL,
  group_name text NOT NULL,
  key        text NOT NULL,
  value      bytea NOT NULL,
  -- What the handler said last.
  reason     text NOT NULL,
  tries      integer NOT NULL DEFAULT 1,
  failed_at  timestamptz NOT NULL DEFAULT now(),
  -- When an operator asked for it to be played again; null: nobody did since it failed.
  asked_at   timestamptz
);
CREATE INDEX dead_letters_by_group ON dead_letters (group_name, failed_at);
CREATE INDEX dead_letters_asked ON dead_letters (asked_at) WHERE asked_at IS NOT NULL;
