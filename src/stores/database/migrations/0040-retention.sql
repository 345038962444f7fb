-- What is past its lifetime is found by its time.
CREATE INDEX outcomes_by_receipt_time ON outcomes (received_at);
CREATE INDEX adjudications_by_time ON adjudications (at);
CREATE INDEX audit_entries_by_time ON audit_entries (at);
