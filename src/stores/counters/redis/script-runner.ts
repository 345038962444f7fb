/**
 * Runs the scripts as functions of the server, or as scripts if it has no such functions (docs/internals/adr/0001). Servers lose functions, new nodes have none,
 * and a user may not be allowed to load any. No call waits for a load or fails without one.
 */
import { Cluster, Command, type Redis } from 'ioredis';
import { BytesCall, type ScriptRun } from './bytes-call.js';
import { libraryPrefix, type Argument, type Library, type Script } from './scripts.js';

export interface RunScript {
  (script: Script, key: string, args: readonly Argument[]): Promise<unknown>;
  /** The same with several keys, and bytes. */
  readonly ofBytes: (run: ScriptRun) => Promise<unknown>;
}

/** Libraries of other versions that stay; one that is used after all is loaded again by whoever uses it. */
const othersMax = 8;

export function createScriptRunner(
  client: Redis | Cluster,
  library: Library,
  onRefused: (reason: string) => void,
): RunScript {
  let isThere = false;
  let loading = false;
  /** Until the next connection. */
  let isRefused = false;

  const load = async (): Promise<void> => {
    if (loading || isRefused) return;
    loading = true;
    try {
      await Promise.all((client instanceof Cluster ? client.nodes('master') : [client]).map(loadInto));
      isThere = true;
    } catch (error) {
      isThere = false;
      if (isReply(error)) {
        isRefused = true;
        onRefused(error.message);
      }
    } finally {
      loading = false;
    }
  };

  const loadInto = async (server: Redis): Promise<void> => {
    const known = namesIn(await server.call('FUNCTION', 'LIST', 'LIBRARYNAME', `${libraryPrefix}*`));
    if (known.includes(library.name)) return;
    for (const name of known.slice(0, Math.max(0, known.length - othersMax)))
      await server.call('FUNCTION', 'DELETE', name).catch(() => undefined);
    await server.call('FUNCTION', 'LOAD', library.text).catch((error: unknown) => {
      if (!isReply(error) || !error.message.includes('already exists')) throw error;
    });
  };

  const begin = (): void => {
    isRefused = false;
    void load();
  };
  client.on('ready', begin);
  client.on('+node', begin);

  const send = (call: Command): Promise<unknown> => Promise.resolve(client.sendCommand(call));

  type Form = 'fcall' | 'evalsha' | 'eval';
  const runAs = (make: (form: Form, script: string) => Command, script: Script): Promise<unknown> => {
    const asScript = (): Promise<unknown> =>
      send(make('evalsha', script.sha1)).catch((error: unknown) => {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return send(make('eval', script.text));
      });
    if (!isThere) return asScript();
    return send(make('fcall', script.functionName)).catch((error: unknown) => {
      if (!isReply(error) || !/^(?:ERR Function not found|NOPERM)/.test(error.message)) throw error;
      isThere = false;
      if (error.message.startsWith('NOPERM')) isRefused = true;
      void load();
      return asScript();
    });
  };

  return Object.assign(
    (script: Script, key: string, args: readonly Argument[]) =>
      runAs((form, of) => new Command(form, [of, 1, key, ...args], { replyEncoding: null }), script),
    { ofBytes: (run: ScriptRun) => runAs((form, of) => BytesCall.ofScript(form, of, run), run.script) },
  );
}

/** The server’s own word, and not that of a connection. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Each library is a list of names and values. */
function namesIn(libraries: unknown): string[] {
  if (!Array.isArray(libraries)) return [];
  return libraries.flatMap((one: unknown) => {
    const name: unknown = Array.isArray(one) ? one[one.indexOf('library_name') + 1] : null;
    return typeof name === 'string' ? [name] : [];
  });
}
