/** The sketch of a device, worked out in the pool. */
import type { DeviceSketch } from '../contract/facts.js';
import type { ProbeBody } from '../contract/probe.js';
import type { Pool } from './pool.js';

/** null if the page described too little to compare. */
export async function sketchKnown({ run }: Pick<Pool, 'run'>, body: ProbeBody): Promise<DeviceSketch | null> {
  const { sketch, bands } = await run({ kind: 'sketch', body, userAgent: null });
  return bands.length === 0 ? null : sketch;
}
