/**
 * Takes the on-page probe’s messages and keeps them under the pair (project key, session id) until the score that they belong to.
 * The device sketch is made here, once, so that scoring finds it ready.
 */
import { unknownPublicKey, invalid } from '../../kernel/faults.js';
import { findUnstorable } from '../../kernel/body.js';
import type { Address } from '../../net/address.js';
import type { Observation } from '../../contract/monitoring.js';
import type { ProbeBody, ProbeReply, ProbeTransport } from '../../contract/probe.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Pool } from '../../pool/pool.js';
import { packMessage } from '../../record/message.js';
import type { ProbeWatch } from './probe-watch.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';

export interface ProbeServiceDeps {
  readonly counters: Counters;
  readonly pool: Pool;
  readonly makeRef: MakeRef;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly watch: ProbeWatch;
  /** The project of a public probe key, or null. */
  readonly findProbeProject: (probeKey: string) => Promise<string | null>;
  /** Watches sessions whose project asks for it. */
  readonly observe: (
    session: {
      readonly projectId: string;
      readonly sessionId: string;
      readonly respondentId: null;
      readonly mode: 'live';
    },
    observation: Observation,
  ) => Promise<number>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Rejects where the project and origin, or a network there, have sent too many, or the address has where no project has the key (null); every message counts. */
  readonly countProbe: (projectId: string | null, origin: string | null, address: Address | null) => Promise<void>;
}

export function createProbeService(deps: ProbeServiceDeps) {
  return {
    /** Takes a message off its limit, before anything else of it is looked at. */
    async admit(probeKey: string, origin: string | null, address: Address | null): Promise<void> {
      await deps.countProbe(await deps.findProbeProject(probeKey), origin, address);
    },

    /** `ip`: the address that the message came from; it is not kept with the message. */
    async store(body: ProbeBody, transport: ProbeTransport, ip: string): Promise<ProbeReply> {
      const unstorable = findUnstorable(body.sessionId, '/sessionId');
      if (unstorable !== null) throw invalid([unstorable]);
      const projectId = await deps.findProbeProject(body.projectKey);
      if (projectId === null) {
        deps.metrics.probes.inc({ result: 'unknown_key' });
        throw unknownPublicKey('probe');
      }
      const nowMs = deps.now();
      const ref = (kind: string, value: string) => deps.makeRef(projectId, kind, value);
      // An empty token names no device; it would be one that everybody without storage shares.
      const token = body.ids?.token || null;
      const { movement, indicators, sketch, bands } = await deps.pool.run({ kind: 'message', body, transport });
      const session = ref('session', body.sessionId);
      const repeats =
        movement.length === 0 ? 0 : await deps.counters.noteMovement({ nowMs, projectId, session, marks: movement });
      const repeated = repeats > 0 ? { repeats } : {};
      const result = await deps.counters.storeProbe({
        nowMs,
        projectId,
        session,
        nonce: ref('nonce', body.nonce),
        phase: body.phase,
        seq: body.seq,
        content: packMessage({ body, transport: { ...transport, receivedAtMs: nowMs, ...repeated } }),
        device: token === null ? null : ref('device', token),
        sketch,
        bands,
        indicators: repeats > 0 ? [...indicators, ['input_repeated', repeats]] : indicators,
      });
      deps.metrics.probes.inc({ result });
      if (result === 'nonce_reused')
        throw invalid([{ path: '/nonce', message: 'belongs to another session. Create a new nonce.' }]);
      deps.watch.noteProbe(ip, { projectId, sessionId: body.sessionId });
      await watch(deps, projectId, body, transport);
      return { sessionId: body.sessionId, stored: true };
    },
  };
}

/** The probe is kept whatever becomes of this: messages count up, so that the next one of the page is judged with what this one said. */
async function watch(
  { observe, metrics, logger }: ProbeServiceDeps,
  projectId: string,
  { sessionId, beh, q, ua }: ProbeBody,
  transport: ProbeTransport,
): Promise<void> {
  const session = { projectId, sessionId, respondentId: null, mode: 'live' } as const;
  await observe(session, { behavior: beh, questions: q ?? [], pageAgent: ua?.ua ?? null, transport }).catch(
    (error: unknown) => {
      metrics.monitoringMissed.inc();
      logger.warn({ err: error }, 'flag check of a probe message failed; the next message is checked');
    },
  );
}
