/**
 * Records test/workers/verification/captures/*.json: a computed person, and attacks, before the camera of real Chromium, as the service gets
 * them. Run it when what a page measures changes, and read what the tests say of the result.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { launchDriven } from '../test/helpers/browser.js';
import { challengesOf, openCapturePage } from '../test/helpers/capture-page.js';
import { takePart } from '../test/helpers/capture-session.js';
import { startFrameClock } from '../test/helpers/frame-clock.js';
import {
  recordedParticipants,
  recordedPath,
  withoutTurn,
  type RecordedCapture,
  type RecordedName,
} from '../test/helpers/recorded-captures.js';
import { startTestService } from '../test/helpers/service.js';

const endings: (() => unknown)[] = [];
const recording = { teardown: (work: () => unknown) => void endings.unshift(work) };
const browser = await launchDriven();
recording.teardown(() => browser.close());
try {
  const service = await startTestService(recording);
  for (const [name, participant] of Object.entries(recordedParticipants)) {
    const { run, envelope, reply, signals } = await takePart(recording, { ...participant, page: { browser }, service });
    const recorded: RecordedCapture = { envelope, challengeCalls: run.calls };
    write(name as RecordedName, recorded);
    console.log(`${name}: ${reply.status} ${signals.join(' ')}`);
  }
  const { placeFace, run } = await openCapturePage(recording, { browser, clock: startFrameClock() });
  await placeFace({ face: { seed: 11 } });
  const { outcome } = await run({ challenges: challengesOf(...withoutTurn), answering: true });
  write('without-turn', outcome?.parts['frames']);
} finally {
  for (const end of endings) await end();
}

function write(name: Parameters<typeof recordedPath>[0], recorded: unknown): void {
  const path = recordedPath(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(recorded)}\n`);
}
