/** How long a page's main thread is held, by what its tasks cost and not by how long other programs let them wait. */
import type { CDPSession, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** The task's time of the processor, microseconds. */
  readonly tdur?: number;
}

export interface TaskTrace {
  /** Ends the trace: milliseconds of the processor that each task took, the longest first. */
  stop(): Promise<number[]>;
}

export async function traceTasks(page: Page): Promise<TaskTrace> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'disabled-by-default-devtools.timeline'] },
  });
  return {
    async stop() {
      const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
      await session.send('Tracing.end');
      await complete;
      const of = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
      const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
      const threads = new Set(events.filter(isMain).map(of));
      return events
        .filter((event) => event.name.endsWith('RunTask') && threads.has(of(event)))
        .map(({ tdur = 0 }) => tdur / 1_000)
        .sort((a, b) => b - a);
    },
  };
}
