-- Restores of this database from a back-up, as an operator told of them: outcomes that were accepted in between are taken once more when the log
-- is read again.
CREATE TABLE restores (
  backup_at timestamptz NOT NULL,
  noted_at  timestamptz NOT NULL DEFAULT now()
);
