-- When the format of records that has no names came to this database, and whether anybody was there who may have processes of before: those cannot
-- read it (src/scoring/receipts/record-format.ts). One row.
CREATE TABLE record_formats (
  came_at             timestamptz NOT NULL DEFAULT now(),
  found_organizations boolean NOT NULL
);
INSERT INTO record_formats (found_organizations) SELECT EXISTS (SELECT 1 FROM organizations);
COMMENT ON COLUMN receipts.record IS 'What the seal is of. Begins with 0xc1 and the version of the format; before that, msgpack.';
