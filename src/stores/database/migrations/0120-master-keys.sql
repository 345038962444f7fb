-- Which master keys this database has been written under, oldest first. The check value derives from the key and tells nothing of it.
CREATE TABLE master_keys (
  generation  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  check_value text NOT NULL UNIQUE,
  admitted_at timestamptz NOT NULL DEFAULT now()
);
