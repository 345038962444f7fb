-- The role of an organization’s transactions sees nothing where no organization is named, in place of everything. The service itself names none in
-- what it does for all of them, and is held to none. Receipts, outcomes, adjudications and history are not granted to the role at all.
DO $$
DECLARE
  guarded record;
BEGIN
  FOR guarded IN SELECT schemaname, tablename FROM pg_policies WHERE policyname = 'one_organization' AND schemaname = current_schema() LOOP
    EXECUTE format(
      'ALTER POLICY one_organization ON %I.%I USING (coalesce(current_setting(''vh.organization_id'', true), '''') = organization_id OR (coalesce(current_setting(''vh.organization_id'', true), '''') = '''' AND current_user <> ''verifyhuman_tenant''))',
      guarded.schemaname, guarded.tablename);
  END LOOP;
END $$;
