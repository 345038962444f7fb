/**
 * Devices that a project knows, as they are on its second day. The first are counted by the product itself, a day before; what one of
 * them left under names of its own and what lives a day longer is then copied under others, byte by byte: the formats stay the product’s.
 */
import type { Redis } from 'ioredis';
import type { Counters } from '../src/stores/counters/port.js';
import { bounds } from '../src/stores/counters/bounds.js';
import { eachInFlight, makeInputs, refOf, usedBytes } from './counter-sessions.js';

export const secondDayMs = bounds.dayMs;
export const knownScope = refOf('known scope');

export interface DevicesFilled {
  readonly bytesPerDevice: number;
  readonly keysPerDevice: number;
  readonly seconds: number;
}

/** So many fill what all sessions of a scope share: its bands, its latest sessions, the frequencies of terms. */
const countedMax = bounds.bandGenerationSessions * 1.2;
const copiedTogether = 2_000;

/** One of `devices`, by any whole number. */
export const knownDevice = (n: number, devices: number): string => (n % devices).toString(16).padStart(16, '0');

/** Names stand in keys as texts, and packed in values. KEYS are those of the sample; ARGV: from which number, how many, how many names, these, these packed, and how long the copy of each key lives. */
const copyScript = `
  local from, count, names = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local function plain(text)
    return (string.gsub(string.gsub(text, '%W', '%%%0'), '%%%z', '%%z'))
  end
  local marked = {}
  for i = 1, #KEYS do
    local key, value = KEYS[i], redis.call('GET', KEYS[i])
    for j = 1, names do
      key = string.gsub(key, ARGV[3 + j], '<known>')
      value = string.gsub(value, plain(ARGV[3 + names + j]), '<known>')
    end
    marked[i] = { key, value, ARGV[3 + 2 * names + i] }
  end
  for n = from, from + count - 1 do
    local id, packed = string.format('%016x', n), string.gsub(struct.pack('>I8', n), '%%', '%%%%')
    for i = 1, #marked do
      local one = marked[i]
      redis.call('SET', (string.gsub(one[1], '<known>', id)), (string.gsub(one[2], '<known>', packed)), 'PX', one[3])
    end
  end`;

/** Makes `devices` known in the project of the bench’s sessions. */
export async function fillWithDevices(
  { admin, counters }: { readonly admin: Redis; readonly counters: Counters },
  devices: number,
): Promise<DevicesFilled> {
  const startedAt = performance.now();
  const inputs = makeInputs('first day', Math.min(devices, countedMax), true);
  await eachInFlight(inputs, async ({ score, probes }) => {
    for (const probe of probes) await counters.storeProbe(probe);
    await counters.countScore({ ...score, scope: knownScope });
  });
  // Once all are counted, so that nothing of the others is tied to it.
  const [sample] = makeInputs('sample', 1, true);
  const device = refOf('device of the sample');
  const respondent = refOf('respondent of the sample');
  if (sample === undefined) throw new Error('no sample');
  for (const probe of sample.probes)
    await counters.storeProbe({ ...probe, device: probe.device === null ? null : device });
  await counters.countScore({ ...sample.score, scope: knownScope, respondent });
  const names = [sample.score.session, respondent, device];
  const lasting = await lastingOf(admin, names);
  const before = await usedBytes(admin);
  const [keys, lives] = [lasting.map(({ key }) => key), lasting.map(({ liveMs }) => liveMs)];
  for (let from = 0; from < devices; from += copiedTogether) {
    const count = Math.min(copiedTogether, devices - from);
    const packed = names.map((name) => Buffer.from(name, 'hex'));
    await admin.eval(copyScript, keys.length, ...keys, from, count, names.length, ...names, ...packed, ...lives);
  }
  return {
    bytesPerDevice: ((await usedBytes(admin)) - before) / devices,
    keysPerDevice: lasting.length,
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

/** The keys named so that live longer than a day, and how long they live after it. */
async function lastingOf(admin: Redis, names: readonly string[]) {
  const keys = (await admin.keys('*')).filter((key) => names.some((name) => key.includes(name)));
  const lasting: { key: string; liveMs: number }[] = [];
  for (const key of keys) {
    const liveMs = (await admin.pttl(key)) - secondDayMs;
    if (liveMs <= 0) continue;
    if ((await admin.type(key)) !== 'string')
      throw new Error(`${key} is no string, and its copies would be something else`);
    lasting.push({ key, liveMs });
  }
  return lasting;
}
