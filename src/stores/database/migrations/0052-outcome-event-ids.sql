-- The caller’s own id of an event: sent again with something else, it replaces what it said.
ALTER TABLE outcomes ADD COLUMN event_id text;
CREATE UNIQUE INDEX outcomes_by_event ON outcomes (project_id, event_id) WHERE event_id IS NOT NULL;
