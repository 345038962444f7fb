/** The frame around the pages of the project itself: settings, API keys and the audit trail. */
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { AdminOnly, RoleNotice } from '../parts/role.js';
import { Title } from '../parts/title.js';

const pages = [
  ['settings', 'Settings'],
  ['keys', 'API keys'],
  ['audit', 'Audit'],
] as const;

interface FrameProps {
  readonly projectId: string;
  readonly page: (typeof pages)[number][0];
  readonly reload: () => void;
  readonly children: ComponentChildren;
}

export const ProjectFrame = ({ projectId, page, reload, children }: FrameProps) => (
  <>
    <Title text={pages.find(([each]) => each === page)?.[1] ?? ''} reload={reload} />
    <nav aria-label="Settings" class="subnav">
      {pages.map(([to, name]) => (
        <Link key={to} href={`/${projectId}/${to}`} aria-current={to === page ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
    {page === 'audit' ? (
      children
    ) : (
      <>
        <RoleNotice />
        <AdminOnly>{children}</AdminOnly>
      </>
    )}
  </>
);
