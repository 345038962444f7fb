/** Frame of every page: the pages, the project, who is signed in. The project is part of the address, so links can be shared. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useRead } from './api.js';
import { useKeptFocus } from './kept-focus.js';
import { LateData } from './parts/late-data.js';
import { Empty, Failed, Loading } from './parts/states.js';
import { timeZoneText } from './parts/words.js';
import { signOut, type Identity } from './session.js';

interface Project {
  readonly projectId: string;
  readonly name: string;
}

const pages: readonly (readonly [path: string, name: string])[] = [
  ['overview', 'Overview'],
  ['sessions', 'Sessions'],
  ['suppliers', 'Suppliers'],
  ['thresholds', 'Thresholds'],
  ['studies', 'Studies'],
  ['verification', 'Verification'],
  ['webhooks', 'Webhooks'],
  ['settings', 'Settings'],
];

/** Pages below another one in the navigation. */
const parents: Readonly<Record<string, string>> = { keys: 'settings', audit: 'settings', flags: 'sessions' };

interface ProjectPage {
  readonly projects: readonly Project[];
  readonly nextCursor: string | null;
}

/** Most projects that the list offers. */
const projectsMax = 200;

export function Shell({
  identity,
  children,
}: {
  identity: Identity;
  children: (projectId: string) => ComponentChildren;
}) {
  const [path, navigate] = useLocation();
  const projects = useRead<ProjectPage>(`/projects?limit=${projectsMax}`);
  const [, named = '', shown = ''] = path.split('/');
  const page = parents[shown] ?? shown;
  const listed = projects.data?.projects ?? [];
  // The page of the project in the address does not wait for the list, and may be one that the list has no room for.
  const current = named === '' ? (listed[0]?.projectId ?? null) : named;
  const isUnknown =
    named !== '' && projects.data?.nextCursor === null && listed.every(({ projectId }) => projectId !== named);
  useEffect(() => {
    document.title = `${pages.find(([each]) => each === page)?.[1] ?? 'Console'} · VerifyHuman`;
  }, [page]);
  useEffect(() => {
    document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [page, current]);
  useHeadingFocus(path);
  useKeptFocus();
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <div class="top-inner">
          <span class="brand">
            <img src="/console/assets/mark.svg" alt="" width="22" height="22" />
            <span>VerifyHuman</span>
          </span>
          {current !== null && (
            <ProjectChoice listed={listed} current={current} choose={(chosen) => navigate(`/${chosen}/${page}`)} />
          )}
          <span class="who muted">{identity.role}</span>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
        <nav aria-label="Pages" class="tabs">
          {current !== null &&
            pages.map(([to, name]) => (
              <Link key={to} href={`/${current}/${to}`} aria-current={page === to ? 'page' : undefined}>
                {name}
              </Link>
            ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {projects.error !== null && <Failed message={projects.error.message} retry={projects.reload} />}
        {current === null && projects.data === null && projects.error === null && <Loading what="projects" />}
        {listed.length === 0 && projects.data !== null && (
          <Empty title="No project yet">
            <p>Create one with POST /projects; its sessions then appear here.</p>
          </Empty>
        )}
        {isUnknown && listed.length > 0 && <UnknownProject />}
        {current !== null && !isUnknown && <LateData page={page} />}
        {current !== null && !isUnknown && children(current)}
        {current !== null && !isUnknown && <p class="muted small">{timeZoneText}</p>}
      </main>
    </>
  );
}

const UnknownProject = () => (
  <Empty title="Project not found">
    <p>It is not a project of your organization. Choose one above.</p>
  </Empty>
);

/** After a navigation, moves the focus to the heading of the new page once it is there, so that screen readers announce it. */
function useHeadingFocus(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    const isNavigation = before.current !== path && before.current.split('/').length > 2;
    before.current = path;
    const main = document.getElementById('main');
    if (!isNavigation || main === null || focusHeading(main)) return;
    const observer = new MutationObserver(() => focusHeading(main) && observer.disconnect());
    observer.observe(main, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [path]);
}

function focusHeading(main: HTMLElement): boolean {
  const heading = main.querySelector<HTMLElement>('h1');
  if (heading === null) return false;
  heading.tabIndex = -1;
  heading.focus();
  return true;
}

interface ProjectChoiceProps {
  readonly listed: readonly Project[];
  readonly current: string;
  readonly choose: (projectId: string) => void;
}

const ProjectChoice = ({ listed, current, choose }: ProjectChoiceProps) => (
  <label class="project">
    <span class="hidden-label">Project</span>
    <select value={current} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {listed.every(({ projectId }) => projectId !== current) && <option value={current}>{current}</option>}
      {listed.map(({ projectId, name }) => (
        <option key={projectId} value={projectId}>
          {name}
        </option>
      ))}
    </select>
  </label>
);
