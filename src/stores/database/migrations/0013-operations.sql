-- State of the operation: the progress of deletions by age, restores, and the check of writes.

-- How far each kind of record was deleted by its age. Deletion goes on from there by a day at a time, so that neither a wrong clock nor a
-- changed setting deletes everything at once; if much more is due, an operator has to allow it.
CREATE TABLE retention_marks (
  -- The kind of record: "receipts".
  what           text PRIMARY KEY,
  -- Everything older was deleted.
  deleted_before timestamptz,
  -- A deletion waits for permission to go up to here; null: none waits.
  waits_for      timestamptz,
  -- Up to when an operator has allowed it.
  allowed_before timestamptz
);

-- Restores of this database from a back-up, as reported by an operator: outcomes that were accepted in between are recorded once more when the log
-- is read again.
CREATE TABLE restores (
  backup_at timestamptz NOT NULL,
  noted_at  timestamptz NOT NULL DEFAULT now()
);

-- One row, written to find out whether writes succeed: a standby, a full disk and a missing grant all answer reads.
CREATE TABLE store_checks (
  name       text PRIMARY KEY,
  checked_at timestamptz NOT NULL DEFAULT now()
);
