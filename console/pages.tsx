/** The pages of a project, by their paths. */
import type { VNode } from 'preact';
import { Redirect, Route, Switch } from 'wouter-preact';
import { AuditPage } from './pages/audit.js';
import { FlagsPage } from './pages/flags.js';
import { KeysPage } from './pages/keys.js';
import { OverviewPage } from './pages/overview.js';
import { SessionPage } from './pages/session.js';
import { SessionsPage } from './pages/sessions.js';
import { SettingsPage } from './pages/settings.js';
import { StudiesPage } from './pages/studies.js';
import { StudyPage } from './pages/study.js';
import { SupplierPage } from './pages/supplier.js';
import { SuppliersPage } from './pages/suppliers.js';
import { ThresholdsPage } from './pages/thresholds.js';
import { VerificationPage } from './pages/verification.js';
import { WebhookPage } from './pages/webhook.js';
import { WebhooksPage } from './pages/webhooks.js';

interface Shown {
  readonly projectId: string;
  readonly organizationId: string;
  /** Last part of the path of a page about one thing. */
  readonly id: string;
}

const pages: Readonly<Record<string, (shown: Shown) => VNode>> = {
  overview: ({ projectId }) => <OverviewPage key={projectId} projectId={projectId} />,
  sessions: ({ projectId }) => <SessionsPage projectId={projectId} />,
  'sessions/:id': ({ projectId, id }) => <SessionPage key={id} projectId={projectId} sessionId={id} />,
  flags: ({ projectId }) => <FlagsPage projectId={projectId} />,
  suppliers: ({ projectId }) => <SuppliersPage projectId={projectId} />,
  'suppliers/:id': ({ projectId, id }) => <SupplierPage key={id} projectId={projectId} supplierId={id} />,
  thresholds: ({ projectId }) => <ThresholdsPage projectId={projectId} />,
  studies: ({ projectId }) => <StudiesPage projectId={projectId} />,
  'studies/:id': ({ projectId, id }) => <StudyPage key={id} projectId={projectId} studyId={id} />,
  verification: ({ projectId }) => <VerificationPage projectId={projectId} />,
  webhooks: ({ projectId }) => <WebhooksPage projectId={projectId} />,
  'webhooks/:id': ({ projectId, id }) => <WebhookPage key={id} projectId={projectId} webhookId={id} />,
  settings: ({ projectId }) => <SettingsPage key={projectId} projectId={projectId} />,
  keys: ({ projectId }) => <KeysPage projectId={projectId} />,
  audit: ({ projectId, organizationId }) => <AuditPage projectId={projectId} organizationId={organizationId} />,
};

export const Pages = ({ projectId, organizationId }: Omit<Shown, 'id'>) => (
  <Switch>
    {Object.entries(pages).map(([path, show]) => (
      <Route key={path} path={`/:project/${path}`}>
        {({ id = '' }: { id?: string }) => show({ projectId, organizationId, id: decodeURIComponent(id) })}
      </Route>
    ))}
    <Route>
      <Redirect to={`/${projectId}/overview`} replace />
    </Route>
  </Switch>
);
