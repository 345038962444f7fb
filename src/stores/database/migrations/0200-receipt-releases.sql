-- When it came to this database that a retry of a score is answered from here once Redis has let go of its receipt, and whether anybody was there who may have
-- processes of before: those would count such a retry anew (src/scoring/receipts/release.ts). One row.
CREATE TABLE receipt_releases (
  came_at             timestamptz NOT NULL DEFAULT now(),
  found_organizations boolean NOT NULL
);
INSERT INTO receipt_releases (found_organizations) SELECT EXISTS (SELECT 1 FROM organizations);
