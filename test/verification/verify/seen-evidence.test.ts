/** Pictures leave the envelope before anything else reads it, and replace the claimed face; what was not asked for is not looked at. */
import { createHash } from 'node:crypto';
import t from 'tap';
import type { EvidenceFrame, PictureTask } from '../../../src/contract/evidence-frames.js';
import type { Envelope } from '../../../src/contract/envelope.js';
import { seeEvidence, type EvidencePolicy } from '../../../src/verification/verify/seen-evidence.js';
import { captureHuman, embeddingOf } from '../../helpers/captures.js';

const side = 16;
const greyOf = (index: number): Buffer => Buffer.alloc(side * side, index);
const hashOf = (index: number): string => createHash('sha256').update(greyOf(index)).digest('hex').slice(0, 16);
const { frames } = captureHuman();
const named = [2, 5, 7, 9];
const pictureOf = (index: number): EvidenceFrame => ({
  index,
  width: side,
  height: side,
  grey: greyOf(index).toString('base64'),
});

const envelope: Envelope = {
  v: 1,
  sdk: 'test',
  sessionId: 's',
  nonce: 'n',
  consent: { biometric: true },
  frames: { ...frames, hashes: frames.atMs.map((_, index) => hashOf(index)) },
  embedding: embeddingOf(1),
  evidenceFrames: named.map(pictureOf),
};
const policy: EvidencePolicy = { isSampled: true, named, widgetMode: 'standard', escalateOnSuspicion: false };
const seenEmbedding = embeddingOf(2);

async function see(body: Envelope, over: Partial<EvidencePolicy> = {}) {
  const judged: PictureTask['pictures'][] = [];
  const seen = await seeEvidence(body, { ...policy, ...over }, (pictures) => {
    judged.push(pictures);
    return Promise.resolve({ faces: pictures.map(() => [1, 2]), embedding: seenEmbedding, likeness: [] });
  });
  return { ...seen, judged };
}

t.test('the pictures asked for are judged, and the embedding is theirs', async (t) => {
  const { envelope: left, pictures, judged } = await see(envelope);
  t.same(
    judged.flat(),
    named.map((index) => ({ width: side, height: side, grey: greyOf(index) })),
  );
  t.same(pictures, { named, faces: named.map(() => ({ side, points: [1, 2] })), likeness: [] });
  t.same(left.embedding, seenEmbedding);
  t.notOk('evidenceFrames' in left, 'nothing after this has the pictures');
});

t.test('a project that asks for none, and a respondent who did not consent: dropped unseen', async (t) => {
  for (const [over, body] of [
    [{ isSampled: false }, envelope],
    [{}, { ...envelope, consent: { biometric: false } }],
    [{ widgetMode: 'invisible' as const }, envelope],
  ] as const) {
    const { envelope: left, pictures, judged } = await see(body, over);
    t.same([pictures, judged], [null, []]);
    t.same(left.embedding, envelope.embedding);
    t.notOk('evidenceFrames' in left);
  }
});

t.test(
  'other pictures than those named, or than the hashes fix, are not looked at, and the claimed face is dropped',
  async (t) => {
    const [first = pictureOf(2), ...rest] = named.map(pictureOf);
    for (const [name, evidenceFrames, over] of [
      ['none', null, {}],
      ['one less', rest, {}],
      ['other frames', [3, 5, 7, 9].map(pictureOf), {}],
      ['another order', [...rest, first], {}],
      ['another picture', [{ ...first, grey: greyOf(99).toString('base64') }, ...rest], {}],
      ['another shape', [{ ...first, width: 32, height: 8 }, ...rest], {}],
      ['nothing named', [], { named: [] }],
    ] as const) {
      const {
        envelope: left,
        pictures,
        judged,
      } = await see({ ...envelope, evidenceFrames: evidenceFrames === null ? null : [...evidenceFrames] }, over);
      t.same(judged, [], name);
      t.equal(pictures?.faces, null, name);
      t.equal(left.embedding, null, name);
    }
  },
);
