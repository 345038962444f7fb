/** The form that creates a key: its name, expiry and scopes. */
import { useState } from 'preact/hooks';
import type { KeyCreation } from '../../src/contract/api-key.js';
import { keyScopes } from '../../src/contract/key-scopes.js';
import { plural } from '../parts/words.js';

const expiries = [30, 90, 180, 365] as const;
const allScopes: readonly string[] = keyScopes.project;

export function Creation({ create }: { create: (key: KeyCreation) => Promise<void> }) {
  const [name, setName] = useState('');
  const [isTest, setTest] = useState(false);
  const [days, setDays] = useState('');
  const [scopes, setScopes] = useState(allScopes);
  const key: KeyCreation = {
    ...{ name, isTest },
    ...(days === '' ? {} : { expiresInDays: Number(days) }),
    ...(scopes.length === allScopes.length ? {} : { scopes: [...scopes] }),
  };
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        void create(key).then(() => setName(''));
      }}
    >
      <label class="inline">
        <span>Name</span>
        <input
          type="text"
          required
          maxLength={200}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label class="inline">
        <span>Expires</span>
        <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
          <option value="">Never</option>
          {expiries.map((each) => (
            <option key={each} value={each}>
              After {each} days
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        <input type="checkbox" checked={isTest} onChange={({ currentTarget }) => setTest(currentTarget.checked)} />
        <span>Test key</span>
      </label>
      <Scopes scopes={scopes} set={setScopes} />
      <button type="submit" disabled={scopes.length === 0}>
        Create key
      </button>
    </form>
  );
}

const Scopes = ({ scopes, set }: { scopes: readonly string[]; set: (scopes: readonly string[]) => void }) => (
  <details>
    <summary>Scopes: {scopes.length === allScopes.length ? 'all' : plural(scopes.length, 'scope')}</summary>
    <fieldset class="list">
      <legend class="hidden-label">Scopes</legend>
      {allScopes.map((scope) => (
        <label key={scope} class="inline">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              set(allScopes.filter((each) => (each === scope ? checked : scopes.includes(each))))
            }
          />
          <span>{scope}</span>
        </label>
      ))}
    </fieldset>
  </details>
);
