-- Receipts, outcomes, adjudications and history are gone through by the service's work for all organizations alone. To the role of an organization's
-- transactions, whatever it may be granted, and to a transaction that names an organization (the owner's too) nothing of them is there. The condition
-- names no column, so that it costs next to nothing where rows come by the thousand.
-- Rows of a partition that is addressed by its own name have their own policy; receipt-partitions.ts gives it to each that it makes.
DO $$
DECLARE
  guarded regclass;
BEGIN
  FOR guarded IN
    SELECT unnest(ARRAY['receipts', 'outcomes', 'outcome_subjects', 'adjudications', 'history'])::regclass
    UNION ALL SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'receipts'::regclass
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY background_work ON %s USING (coalesce(current_setting(''vh.organization_id'', true), '''') = '''' AND current_user <> ''verifyhuman_tenant'')',
      guarded);
  END LOOP;
END $$;
