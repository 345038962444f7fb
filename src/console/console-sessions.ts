/**
 * Sessions of the console. A link works once and only in the process that runs when it is made: links are for embedded stores, which have one
 * process, so a restart ends those that were not used.
 */
import { issueConsoleToken, type ConsoleToken, type ConsoleUse } from '../administration/console-tokens.js';
import { Fault } from '../errors.js';
import type { EndedSessions } from './ended-sessions.js';

export interface ConsoleSessionDeps {
  readonly masterKey: Uint8Array;
  readonly verify: (token: string, use: ConsoleUse) => Promise<ConsoleToken>;
  readonly ended: EndedSessions;
  /** Whether one-time links are taken. */
  readonly takesLinks: boolean;
  readonly now: () => number;
}

export interface StartedSession {
  readonly token: string;
  readonly seconds: number;
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;

export function createConsoleSessions({ masterKey, verify, ended, takesLinks, now }: ConsoleSessionDeps) {
  const startedMs = now();
  /** Ids of used links, with the time at which they expire. */
  const used = new Map<string, number>();

  const start = async (caller: ConsoleToken['caller']): Promise<StartedSession> => {
    const token = await issueConsoleToken(masterKey, 'session', caller, now());
    const { expiresAtMs } = await verify(token, 'session');
    return { token, seconds: Math.floor((expiresAtMs - now()) / 1_000) };
  };

  return {
    start,
    takesLinks,

    async useLink(link: string): Promise<StartedSession> {
      if (!takesLinks) throw new Fault('INVALID_TOKEN', 'Sign-in links are turned off. Sign in with your account.');
      const { caller, id, issuedAtMs, expiresAtMs } = await verify(link, 'link');
      for (const [known, untilMs] of used) if (untilMs < now()) used.delete(known);
      if (used.has(id) || issuedAtMs < startedMs)
        throw new Fault('INVALID_TOKEN', 'The link was used or has expired. Run `npm run console` again.');
      used.set(id, expiresAtMs);
      return start(caller);
    },

    /** Ends a session on every instance. What is no session, or has expired, has ended already. */
    async end(session: string | null): Promise<void> {
      const verified = session === null ? null : await verify(session, 'session').catch(() => null);
      if (verified !== null) await ended.add(verified);
    },

    /** A dashboard token for the session, and who it stands for. */
    async tokenOf(session: string | null) {
      if (session === null) throw new Fault('INVALID_TOKEN', 'You are not signed in. Sign in to the console.');
      const verified = await verify(session, 'session');
      if (await ended.has(verified)) throw new Fault('INVALID_TOKEN', 'You signed out. Sign in to the console.');
      const { caller } = verified;
      const token = await issueConsoleToken(masterKey, 'dashboard', caller, now());
      const { expiresAtMs } = await verify(token, 'dashboard');
      const { organizationId, role, subject } = caller;
      return { token, expiresAt: new Date(expiresAtMs).toISOString(), organizationId, role, subject };
    },
  };
}
