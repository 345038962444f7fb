/**
 * Copies of a listener. Node takes one new connection from a listener in each turn of the event loop (libuv since 1.45): where a turn takes 50 ms, twenty a
 * second, while thousands may come. Of several copies of the same socket each takes one. A process cannot copy a descriptor by
 * itself; one that is sent to another process and back is a copy, so a short-lived child echoes it. Until the copies are there, and where there can
 * be no child, the listener takes what comes alone.
 */
import { fork } from 'node:child_process';
import { createServer, type Server } from 'node:net';

export interface ListenerCopies {
  /** Takes no more; resolves once all connections that they took have ended. */
  close(): Promise<void>;
}

/** What comes back of a descriptor that was sent. */
interface CopiedHandle {
  close(): void;
}

const deadlineMs = 10_000;

/** Begins to copy; what the copies take is handed to `server`. */
export function copyListener(server: Server, count: number, backlog: number): ListenerCopies {
  const copies: Server[] = [];
  const end = echo(handleOf(server), count, (handle) => copies.push(listenOn(handle, server, backlog)));
  return {
    async close() {
      const ended = end();
      await Promise.all([ended, ...copies.map((copy) => new Promise((resolve) => copy.close(resolve)))]);
    },
  };
}

function listenOn(handle: unknown, server: Server, backlog: number): Server {
  const copy = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  // The listener itself goes on where a copy fails.
  copy.on('error', () => undefined);
  return copy.listen(handle, backlog);
}

/** What Node calls the descriptor. A server that is sent would begin to listen in the child, which is to take nobody. */
const handleOf = (server: object): unknown => ('_handle' in server ? server._handle : null);

/**
 * Tells `came` each copy of a handle, none where there can be no child, until all have come or what it returns is called. That resolves once the child
 * is gone, which holds the descriptor open as long as it lives.
 */
function echo(handle: unknown, count: number, came: (copy: unknown) => void): () => Promise<unknown> {
  if (handle === null || process.platform === 'win32') return () => Promise.resolve();
  const child = fork(new URL('./listener-echo.js', import.meta.url), {
    env: { COPIES: String(count) },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let left = count;
  const end = (): void => {
    clearTimeout(timer);
    left = 0;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(end, deadlineMs).unref();
  child.on('message', (_message, copy: unknown) => {
    // One may be on its way still; kept open, it would take callers whom nobody answers.
    if (left === 0) return (copy as CopiedHandle).close();
    came(copy);
    if (--left === 0) end();
  });
  const gone = new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  void gone.then(end);
  child.send('copy', handle as Server, { keepOpen: true }, (error) => {
    if (error !== null) end();
  });
  // A process that has nothing else to do does not wait for it.
  child.unref();
  child.channel?.unref();
  return () => {
    end();
    child.ref();
    return gone;
  };
}
