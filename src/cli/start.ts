/** `npm start`: obeys SIGTERM and SIGINT from its first line on, also as process 1 of a container. All else is loaded behind the handlers. */
import { stopMsMax } from '../wiring/drain.js';

const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const)
  process.on(name, () => {
    if (stop.signal.aborted) return;
    // Whatever hangs, the end does not: what was answered is durable already.
    setTimeout(() => {
      process.stderr.write(`${JSON.stringify({ level: 50, msg: 'the process did not stop in time, and is ended' })}\n`);
      process.exit(1);
    }, stopMsMax).unref();
    stop.abort(new Error(`stopped by ${name}`));
  });
const { serve } = await import('./serve.js');
await serve(stop.signal);
