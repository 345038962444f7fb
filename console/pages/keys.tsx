/** API keys of the project: what each may do, when it was last used, and making, replacing and revoking them. */
import { useState } from 'preact/hooks';
import type { KeyCreation, KeyRecord, MintedKeyReply } from '../../src/contract/api-key.js';
import { keyScopes } from '../../src/contract/key-scopes.js';
import { call, query, usePages, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { timeColumn } from '../parts/columns.js';
import { Confirmation } from '../parts/confirmation.js';
import { Empty, Failed, Older, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { formatAgo, formatCount, formatTime, plural } from '../parts/words.js';
import { Creation } from './key-creation.js';
import { ProjectFrame } from './project-frame.js';

interface KeyPage {
  readonly apiKeys: readonly KeyRecord[];
  readonly nextCursor: string | null;
}

export function KeysPage({ projectId }: { projectId: string }) {
  const path = `/projects/${projectId}/api-keys`;
  const keys = useRead<KeyPage>(`${path}${query({ limit: 50 })}`);
  const [minted, setMinted] = useState<MintedKeyReply | null>(null);
  const [error, setError] = useState<string | null>(null);
  const changed = (created: MintedKeyReply | null): void => {
    setMinted(created);
    setError(null);
    keys.reload();
  };
  const create = (body: KeyCreation): Promise<void> =>
    call<MintedKeyReply>(path, { method: 'POST', body }).then(changed, (failure: Error) => setError(failure.message));
  return (
    <ProjectFrame projectId={projectId} page="keys" reload={keys.reload}>
      <Creation create={create} />
      {error !== null && <Failed message={error} />}
      {minted !== null && <Secret {...minted} done={() => setMinted(null)} />}
      <Shown of={keys} what="API keys">
        {(first) =>
          first.apiKeys.length === 0 ? (
            <Empty title="No API key yet">
              <p>Your server needs one to score and to verify tokens.</p>
            </Empty>
          ) : (
            <Keys path={path} first={first} changed={changed} />
          )
        }
      </Shown>
    </ProjectFrame>
  );
}

const Secret = ({ apiKey, name, done }: MintedKeyReply & { done: () => void }) => (
  <div class="notice good" role="status">
    <p>The key {name} is ready. Copy it now: it is not shown again.</p>
    <p>
      <code class="whole">{apiKey}</code>
    </p>
    <p class="actions">
      <button type="button" onClick={() => void navigator.clipboard.writeText(apiKey)}>
        Copy
      </button>
      <button type="button" class="quiet" onClick={done}>
        Done
      </button>
    </p>
  </div>
);

interface KeysProps {
  readonly path: string;
  readonly first: KeyPage;
  /** With the key that was created, if one was. */
  readonly changed: (created: MintedKeyReply | null) => void;
}

function Keys({ path, first, changed }: KeysProps) {
  const { pages, ...more } = usePages(path, first);
  const [asked, ask] = useState<Asked | null>(null);
  const run = async ({ record: { keyId }, act }: Asked): Promise<void> => {
    if (act === 'replace') return changed(await call<MintedKeyReply>(`${path}/${keyId}/rotate`, { method: 'POST' }));
    await call(`${path}/${keyId}`, { method: 'DELETE' });
    changed(null);
  };
  return (
    <>
      <Table
        columns={columnsOf((record, act) => ask({ record, act }))}
        rows={pages.flatMap(({ apiKeys }) => apiKeys)}
        keyOf={({ keyId }) => keyId}
      />
      <Older of={more} what="keys" />
      {asked !== null && <Question {...asked} run={() => run(asked)} close={() => ask(null)} />}
    </>
  );
}

const acts = {
  replace: { name: 'Replace', then: 'A new key is shown once.' },
  revoke: { name: 'Revoke', then: 'It cannot be restored.' },
} as const;
type Act = keyof typeof acts;

interface Asked {
  readonly record: KeyRecord;
  readonly act: Act;
}

const Question = ({ record, act, ...answers }: Asked & { run: () => Promise<void>; close: () => void }) => (
  <Confirmation
    title={`${acts[act].name} ${record.name}?`}
    action={`${acts[act].name} the key`}
    isDangerous
    {...answers}
  >
    <p>
      The key {record.prefix}… ends everywhere within a second. {acts[act].then}
    </p>
    <p>{useOf(record)}</p>
  </Confirmation>
);

const useOf = ({ lastUsedAt }: KeyRecord): string =>
  lastUsedAt === null
    ? 'Never used. Nothing will stop working.'
    : `Used ${formatAgo(lastUsedAt)}: what uses it will fail.`;

function Scopes({ scopes, scope, isDemo }: KeyRecord) {
  const kind = isDemo ? 'demo' : scope;
  const hasAll = keyScopes[kind].every((each) => scopes.includes(each));
  return (
    <details>
      <summary>
        {hasAll ? `All scopes of ${kind === 'organization' ? 'an' : 'a'} ${kind} key` : plural(scopes.length, 'scope')}
      </summary>
      {scopes.join(', ')}
    </details>
  );
}

const columnsOf = (change: (record: KeyRecord, act: Act) => void): readonly Column<KeyRecord>[] => [
  {
    name: 'Key',
    cell: ({ name, prefix }) => (
      <>
        <span>{name}</span> <code class="muted">{prefix}…</code>
      </>
    ),
  },
  {
    name: 'State',
    cell: ({ state, isTest, expiresAt }) => (
      <>
        <Badge value={state} tone={state === 'active' ? 'good' : 'plain'} /> {isTest && <Badge value="test" />}
        {expiresAt !== undefined && <span class="muted small">until {formatTime(expiresAt)}</span>}
      </>
    ),
  },
  { name: 'May', look: 'small', cell: (record) => <Scopes {...record} /> },
  {
    name: 'Limits',
    look: 'small',
    cell: ({ rateLimit: { perMinute, perDay } }) => `${formatCount(perMinute)} a minute, ${formatCount(perDay)} a day`,
  },
  timeColumn('Created', ({ createdAt }) => createdAt),
  timeColumn('Last used', ({ lastUsedAt }) => lastUsedAt),
  {
    name: 'Actions',
    isNumber: true,
    isNameHidden: true,
    cell: (record) =>
      record.state === 'active' && (
        <span class="actions">
          {(['replace', 'revoke'] as const).map((act) => (
            <button key={act} type="button" class="quiet" onClick={() => change(record, act)}>
              {acts[act].name}… <span class="hidden-label">{record.name}</span>
            </button>
          ))}
        </span>
      ),
  },
];
