/**
 * Runs the scripts: as functions of the server where it has them, else as scripts. A function is made once and a script anew by every call, which
 * costs the server a tenth of a count. Servers lose functions, new nodes have none, and a user may not be let load any: a call never waits for
 * that, nor fails of it.
 */
import { Cluster, type Redis } from 'ioredis';
import type { Argument } from './argument-layouts.js';
import { ScriptCall } from './script-call.js';
import { libraryPrefix, type Library, type Script } from './scripts.js';

export type RunScript = (script: Script, key: string, args: readonly Argument[]) => Promise<unknown>;

/** Libraries of other versions that stay; one that is used after all is loaded again by whoever uses it. */
const othersMax = 8;

export function createScriptRunner(
  client: Redis | Cluster,
  library: Library,
  tellRefusal: (reason: string) => void,
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
        tellRefusal(error.message);
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

  const send = (call: ScriptCall): Promise<unknown> => Promise.resolve(client.sendCommand(call));

  const runScript: RunScript = (script, key, args) =>
    send(new ScriptCall('evalsha', script.sha1, key, args)).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return send(new ScriptCall('eval', script.text, key, args));
    });

  return (script, key, args) => {
    if (!isThere) return runScript(script, key, args);
    return send(new ScriptCall('fcall', script.functionName, key, args)).catch((error: unknown) => {
      if (!isReply(error) || !/^(?:ERR Function not found|NOPERM)/.test(error.message)) throw error;
      isThere = false;
      if (error.message.startsWith('NOPERM')) isRefused = true;
      void load();
      return runScript(script, key, args);
    });
  };
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
