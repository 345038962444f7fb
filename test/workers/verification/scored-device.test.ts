/** A step-up from another device than the one that was scored. */
import t from 'tap';
import { personDevice } from '../../../src/contract/person-example.js';
import type { Envelope } from '../../../src/contract/envelope.js';
import { sketchDevice } from '../../../workers/duplicates/sketch.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { deviceEnvelope, factsOf } from '../../helpers/verdict-facts.js';

type Device = NonNullable<Envelope['device']>;

const about = {
  v: 1,
  sdk: 'test',
  projectKey: 'pk',
  sessionId: 's',
  nonce: 'n',
  seq: 0,
  phase: 'load',
  at: 0,
  up: 0,
} as const;
const scored = sketchDevice({ ...about, ...personDevice }, null);

function typesFrom(device: Device | undefined, scoredDevice: typeof scored | null = scored) {
  const envelope = { ...deviceEnvelope(), device };
  const { verdict } = judgeSession(factsOf(envelope as Envelope, { scoredDevice }));
  return { status: verdict.status, types: verdict.fraudSignals.map(({ type }) => type) };
}

const updated: Device = {
  ...personDevice,
  ua: {
    ...personDevice.ua,
    ua: personDevice.ua.ua?.replace(/Chrome\/(\d+)/, (_, major) => `Chrome/${Number(major) + 1}`),
  },
  gfx: { ...personDevice.gfx, canvas: 'ffffffff' },
};
const moved: Device = { ...updated, scr: { ...personDevice.scr, w: 3_840, h: 2_160, dpr: 1 } };
const phone: Device = {
  ...personDevice,
  ua: {
    ...personDevice.ua,
    ua: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1',
  },
};
const machine: Device = {
  ...personDevice,
  hw: { ...personDevice.hw, cores: 64, memory: 2 },
  gfx: { ...personDevice.gfx, renderer: 'ANGLE (Google, SwiftShader)', canvas: '12345678', audio: 99.5 },
  env: { ...personDevice.env, fonts: '87654321' },
};

t.test('the scored device passes, after an update of its browser and on another monitor too', (t) => {
  t.strictSame(typesFrom(personDevice), { status: 'pass', types: [] });
  for (const device of [updated, moved]) t.notOk(typesFrom(device).types.includes('other_device'));
  t.end();
});

t.test('another device fails the step-up, and so does one that withholds what distinguishes it', (t) => {
  for (const device of [phone, machine, undefined, { ids: { token: 'a-token-alone', kept: false } }]) {
    const { status, types } = typesFrom(device);
    t.equal(status, 'fail');
    t.ok(types.includes('other_device'), types.join(', '));
  }
  t.end();
});

t.test('in score mode another device is reviewed', (t) => {
  const envelope = deviceEnvelope({ device: machine });
  const { verdict } = judgeSession(factsOf(envelope, { scoredDevice: scored, verificationMode: 'score' }));
  t.not(verdict.status, 'pass');
  t.end();
});

t.test('where nothing of the scored device is known, none is another', (t) => {
  t.notOk(typesFrom(machine, null).types.includes('other_device'));
  t.end();
});
