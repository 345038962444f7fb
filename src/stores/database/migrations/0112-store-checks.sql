-- One row that is written to find out whether writes are taken: a standby, a full disk and a missing grant all answer reads.
CREATE TABLE store_checks (
  name       text PRIMARY KEY,
  checked_at timestamptz NOT NULL DEFAULT now()
);
