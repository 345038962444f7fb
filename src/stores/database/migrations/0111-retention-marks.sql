-- How far each kind of record was deleted by its age. Deletion moves on from there by a day at a time, so that neither a wrong clock nor a
-- changed setting takes everything at once; where much more is due, an operator has to say so.
CREATE TABLE retention_marks (
  -- What is deleted: "receipts".
  what           text PRIMARY KEY,
  -- Everything older was deleted.
  deleted_before timestamptz,
  -- What deletion waits to be allowed to go up to; null where it waits for nothing.
  waits_for      timestamptz,
  -- Up to when an operator has allowed it.
  allowed_before timestamptz
);
