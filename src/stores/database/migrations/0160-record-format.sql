-- When the format of records that has no names came to this database: a day later every process is taken to read it (src/scoring/record-format.ts).
COMMENT ON COLUMN receipts.record IS 'What the seal is of. Begins with 0xc1 and the version of the format; before that, msgpack.';
