/** API keys of the project: what each may do, when it was last used, and making, replacing and revoking them. */
import { useRef, useState } from 'preact/hooks';
import type { KeyRecord, MintedKeyReply } from '../../src/contract/api-key.js';
import { call, query, usePages, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Empty, Failed, Older, Shown } from '../parts/states.js';
import { formatCount, formatTime } from '../parts/words.js';
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
  const run = async (work: () => Promise<MintedKeyReply | null>): Promise<void> => {
    try {
      setMinted(await work());
      setError(null);
      keys.reload();
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  const create = (isTest: boolean, name: string): Promise<void> =>
    run(() => call<MintedKeyReply>(path, { method: 'POST', body: { isTest, ...(name === '' ? {} : { name }) } }));
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
            <Keys path={path} first={first} run={run} />
          )
        }
      </Shown>
    </ProjectFrame>
  );
}

function Creation({ create }: { create: (isTest: boolean, name: string) => Promise<void> }) {
  const [name, setName] = useState('');
  const [isTest, setTest] = useState(false);
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        void create(isTest, name).then(() => setName(''));
      }}
    >
      <label class="inline">
        <span>Name</span>
        <input type="text" maxLength={200} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <label class="inline">
        <input type="checkbox" checked={isTest} onChange={({ currentTarget }) => setTest(currentTarget.checked)} />
        <span>Test key</span>
      </label>
      <button type="submit">Create key</button>
    </form>
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
  readonly run: (work: () => Promise<MintedKeyReply | null>) => Promise<void>;
}

function Keys({ path, first, run }: KeysProps) {
  const { pages, ...more } = usePages(path, first);
  const [asked, ask] = useState<KeyRecord | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const revoke = ({ keyId }: KeyRecord): void =>
    void run(async () => {
      await call(`${path}/${keyId}`, { method: 'DELETE' });
      return null;
    });
  const rotate = ({ keyId }: KeyRecord): void =>
    void run(() => call<MintedKeyReply>(`${path}/${keyId}/rotate`, { method: 'POST' }));
  const answer = (act: (key: KeyRecord) => void): void => {
    dialog.current?.close();
    if (asked !== null) act(asked);
  };
  return (
    <>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">State</th>
            <th scope="col">May</th>
            <th scope="col">Limits</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="hidden-label">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {pages
            .flatMap(({ apiKeys }) => apiKeys)
            .map((key) => (
              <KeyRow
                key={key.keyId}
                record={key}
                change={() => {
                  ask(key);
                  dialog.current?.showModal();
                }}
              />
            ))}
        </tbody>
      </table>
      <Older of={more} what="keys" />
      <dialog ref={dialog} aria-labelledby="key-title">
        <h2 id="key-title">{asked?.name}</h2>
        <p>Both end the key {asked?.prefix}… everywhere within a second. Replacing it shows a new one.</p>
        <p class="actions">
          <button type="button" onClick={() => answer(rotate)}>
            Replace
          </button>
          <button type="button" class="danger" onClick={() => answer(revoke)}>
            Revoke
          </button>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </>
  );
}

const KeyRow = ({ record, change }: { record: KeyRecord; change: () => void }) => {
  const { name, prefix, isTest, state, scopes, rateLimit, lastUsedAt, expiresAt } = record;
  return (
    <tr>
      <th scope="row">
        <span>{name}</span> <code class="muted">{prefix}…</code>
      </th>
      <td data-label="State">
        <Badge value={state} tone={state === 'active' ? 'good' : 'plain'} /> {isTest && <Badge value="test" />}
        {expiresAt !== undefined && <span class="muted small">until {formatTime(expiresAt)}</span>}
      </td>
      <td data-label="May" class="small">
        {scopes.join(', ')}
      </td>
      <td data-label="Limits" class="small">
        {formatCount(rateLimit.perMinute)} a minute, {formatCount(rateLimit.perDay)} a day
      </td>
      <td data-label="Last used">
        {lastUsedAt === null ? (
          <span class="muted">Never</span>
        ) : (
          <time dateTime={lastUsedAt}>{formatTime(lastUsedAt)}</time>
        )}
      </td>
      <td class="end">
        {state === 'active' && (
          <button type="button" class="quiet" onClick={change}>
            Change… <span class="hidden-label">{name}</span>
          </button>
        )}
      </td>
    </tr>
  );
};
