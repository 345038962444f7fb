import t from 'tap';
import type { SessionReply } from '../../../src/contract/session.js';
import { createSessionSecrets, type TabStorage } from '../../../sdk/widget/session-secrets.js';

/** Behaves like a browser’s storage: its entries are its own properties. */
class MemoryStorage implements TabStorage {
  [name: string]: unknown;
  getItem(name: string) {
    return (this[name] ?? null) as string | null;
  }
  setItem(name: string, value: string) {
    this[name] = value;
  }
  removeItem(name: string) {
    Reflect.deleteProperty(this, name);
  }
}

const session = { sessionId: 'sess_1', clientSecret: 'secret-1', expiresAt: 2_000 } as SessionReply;

t.test('a later mount of the tab finds the secret of a session, until the session expires', async (t) => {
  const storage = new MemoryStorage();
  let nowMs = 1_000_000;
  const mount = () =>
    createSessionSecrets(
      () => storage,
      () => nowMs,
    );
  mount().keep(session);
  t.equal(mount().find('sess_1'), 'secret-1');
  t.equal(mount().find('sess_2'), undefined);
  nowMs = 2_000_001;
  mount().keep({ ...session, sessionId: 'sess_2', expiresAt: 4_000 });
  t.same(Object.keys(storage), ['vh-session:sess_2']);
});

t.test(
  'a later page of the tab finds the session that was begun with the same words, unless it was used',
  async (t) => {
    const storage = new MemoryStorage();
    let nowMs = 1_000_000;
    const page = () =>
      createSessionSecrets(
        () => storage,
        () => nowMs,
      );
    const first = page();
    first.keep(session);
    first.begin('a', session);
    t.match(page().findBegun('a'), session);
    t.equal(first.findBegun('a'), undefined, 'not a second mount of the same page');
    t.equal(page().findBegun('b'), undefined);
    const later = page();
    later.findBegun('a');
    later.use('sess_1');
    t.equal(page().findBegun('a'), undefined);
    t.equal(page().find('sess_1'), 'secret-1', 'its secret is still needed for a retry');
    page().begin('a', session);
    nowMs = 1_800_000;
    t.equal(page().findBegun('a'), undefined, 'too little of its time is left');
    storage.setItem('vh-begun', 'what another script wrote');
    t.equal(page().findBegun('a'), undefined);
  },
);

t.test('without storage the mount itself still knows its secrets', async (t) => {
  const mount = () =>
    createSessionSecrets(
      () => {
        throw new Error('SecurityError');
      },
      () => 0,
    );
  const secrets = mount();
  secrets.keep(session);
  t.equal(secrets.find('sess_1'), 'secret-1');
  t.equal(mount().find('sess_1'), undefined);
  secrets.begin('a', session);
  t.equal(mount().findBegun('a'), undefined);
});
