-- Whose a dead letter is (an organization, or a project where the record names that alone; empty: not known), so that one tenant's do not use up the
-- room of others; and whether anybody can tell: what cannot be read is reached by no erasure, and kept for a shorter time.
ALTER TABLE dead_letters ADD COLUMN tenant text NOT NULL DEFAULT '';
ALTER TABLE dead_letters ADD COLUMN unreadable boolean NOT NULL DEFAULT false;
CREATE INDEX dead_letters_by_tenant ON dead_letters (group_name, tenant, letter_id);
CREATE INDEX dead_letters_unreadable ON dead_letters (failed_at) WHERE unreadable;
