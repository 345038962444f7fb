-- The isolation of organizations in the database, behind the ownership checks of the routes (src/stores/database/tenant.ts). Owners of the tables
-- are held to it as well; a superuser takes the role below first. If the role cannot be created, the service runs as an ordinary owner and needs none.
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'verifyhuman_tenant') THEN
    CREATE ROLE verifyhuman_tenant NOLOGIN;
  END IF;
  EXECUTE format('GRANT verifyhuman_tenant TO %I', current_user);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no role verifyhuman_tenant: %', SQLERRM;
END $$;

-- Lets transactions of one organization read and write these tables, and use the sequences of their columns.
CREATE PROCEDURE grant_to_tenants(VARIADIC tables regclass[]) LANGUAGE plpgsql AS $$
DECLARE
  granted  regclass;
  sequence regclass;
BEGIN
  FOREACH granted IN ARRAY tables LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO verifyhuman_tenant', granted);
    FOR sequence IN SELECT d.objid::regclass FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S' WHERE d.refobjid = granted AND d.deptype = 'a' LOOP
      EXECUTE format('GRANT USAGE ON SEQUENCE %s TO verifyhuman_tenant', sequence);
    END LOOP;
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no grants to verifyhuman_tenant: %', SQLERRM;
END $$;

-- For tables with an organization_id. A transaction that names its organization (vh.organization_id) sees that one's rows only, whatever its statements
-- are. The tenant role sees nothing without a name. The service names none in work for all organizations, and sees all rows.
CREATE PROCEDURE isolate_organizations(VARIADIC tables regclass[]) LANGUAGE plpgsql AS $$
DECLARE
  guarded regclass;
BEGIN
  FOREACH guarded IN ARRAY tables LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY one_organization ON %s USING (coalesce(current_setting(''vh.organization_id'', true), '''') = organization_id OR (coalesce(current_setting(''vh.organization_id'', true), '''') = '''' AND current_user <> ''verifyhuman_tenant''))',
      guarded);
  END LOOP;
  CALL grant_to_tenants(VARIADIC tables);
END $$;

-- For tables that only work for all organizations reads and writes. To the tenant role, whatever it may be granted, and to a transaction that names an
-- organization (the owner's too) they are empty. The condition names no column, so that it costs next to nothing for thousands of rows.
-- A partition that is addressed by its own name has its own policy; src/scoring/receipts/partitions.ts gives it to each.
CREATE PROCEDURE reserve_for_background_work(VARIADIC tables regclass[]) LANGUAGE plpgsql AS $$
DECLARE
  guarded regclass;
BEGIN
  FOREACH guarded IN ARRAY tables LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY background_work ON %s USING (coalesce(current_setting(''vh.organization_id'', true), '''') = '''' AND current_user <> ''verifyhuman_tenant'')',
      guarded);
  END LOOP;
END $$;
