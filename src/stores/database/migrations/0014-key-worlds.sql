-- Which world a receipt is of. What a test or demo key scored, and the outcomes and history of it, carry the world in project_id
-- (proj_1~test), so that whoever looks for a project finds what live keys scored.
ALTER TABLE receipts ADD COLUMN is_test boolean NOT NULL DEFAULT false;
ALTER TABLE receipts ADD COLUMN is_demo boolean NOT NULL DEFAULT false;
