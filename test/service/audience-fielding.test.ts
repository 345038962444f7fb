/** A study of fifty from three suppliers with bots among them, fielded from the order to the export over HTTP. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import t from 'tap';
import type { RespondentReply, StudyReply } from '../../src/contract/study-replies.js';
import {
  callerOf,
  creation,
  desktopAgent,
  fieldStudy,
  placeOf,
  startSurvey,
  takePart,
  titles,
  type Respondent,
} from '../helpers/fielding.js';
import { writeSystems } from '../helpers/autonomous-systems.js';
import { writeMmdb } from '../helpers/mmdb.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(90_000);

const suppliers = ['north', 'south', 'west'];
const honestPerSupplier = 22;

const honest = (supplier: number, n: number): Respondent => ({
  rid: `${suppliers[supplier]}-person-${n}`,
  src: suppliers[supplier] ?? '',
  address: `91.${10 + supplier}.${n}.${(n * 7) % 250}`,
  agent: desktopAgent.replace('142', String(130 + ((n * 3 + supplier) % 12))),
  more: { gender: n % 2 === 0 ? 'female' : 'male', age: '33' },
});

/** Bots as they come: scripts that say so, a farm on one browser, and visitors from elsewhere than they should be. */
const bots: readonly Respondent[] = [
  ...Array.from({ length: 8 }, (_, n) => ({
    rid: `script-${n}`,
    src: suppliers[n % 3] ?? '',
    address: `45.9.0.${n}`,
    agent: 'python-requests/2.32.3',
  })),
  ...Array.from({ length: 8 }, (_, n) => ({
    rid: `farm-${n}`,
    src: suppliers[n % 3] ?? '',
    address: '45.9.1.1',
    agent: desktopAgent.replace('Chrome/', 'HeadlessChrome/'),
    cookie: `vh_device=${'ab'.repeat(16)}`,
  })),
  ...Array.from({ length: 4 }, (_, n) => ({
    rid: `abroad-${n}`,
    src: suppliers[n % 3] ?? '',
    address: `81.2.69.${n}`,
  })),
];

const files = temporaryDirectory(t);
mkdirSync(files, { recursive: true });
const countries = join(files, 'countries.mmdb');
const anonymous = join(files, 'anonymous.mmdb');
writeFileSync(
  anonymous,
  writeMmdb({
    databaseType: 'GeoIP2-Anonymous-IP',
    networks: { '45.9.0.0/24': { is_anonymous: true, is_hosting_provider: true } },
  }),
);
const systems = writeSystems(t, { '91.0.0.0/8': 'home', '45.9.0.0/16': 'hosting' });
writeFileSync(
  countries,
  writeMmdb({
    databaseType: 'GeoLite2-Country',
    networks: {
      '91.0.0.0/8': { country: { iso_code: 'DE' } },
      '45.9.0.0/16': { country: { iso_code: 'DE' } },
      '81.2.69.0/24': { country: { iso_code: 'GB' } },
    },
  }),
);
const service = await startTestService(t, {
  GEOIP_COUNTRY_DB: countries,
  GEOIP_ASN_DB: systems,
  GEOIP_ANONYMOUS_DB: anonymous,
  VH_TRUSTED_PROXIES: '127.0.0.1',
  VH_LOG_LEVEL: 'warn',
});
const { audienceUrl, projectKey, baseUrl, projectId } = service.bootstrap;
const call = callerOf(audienceUrl, projectKey);
// One in nine is sent back without an interview.
const isTerminated = (rid: string): boolean => Number(/\d+$/.exec(rid)?.[0]) % 9 === 8;
const ridOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { respondent_id: string })
    .respondent_id;
const survey = await startSurvey(t, (parameters) =>
  isTerminated(ridOf(parameters.get('vh_token') ?? '')) ? 'terminate' : 'complete',
);
const study = await fieldStudy(
  call,
  creation(survey.url, {
    audience: {
      countries: ['DE'],
      language: 'en',
      sample_size: 50,
      quotas: [{ name: 'women', gender: 'female', limit: 40 }],
    },
  }),
);

const people = suppliers.flatMap((_, supplier) =>
  Array.from({ length: honestPerSupplier }, (_, n) => honest(supplier, n)),
);
const crowd = [...people, ...bots].sort((a, b) => (a.rid.slice(-2) + a.rid < b.rid.slice(-2) + b.rid ? -1 : 1));
const ends = new Map<string, string>();
await (async () => {
  const waiting = [...crowd];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      ends.set(next.rid, (await takePart(study, next)).title);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
})();

const progress = async (): Promise<StudyReply['progress']> =>
  ((await call('GET', `/studies/${study.studyId}`)).body as StudyReply).progress;

t.test('exactly fifty complete, none of them a bot', async (t) => {
  const now = await progress();
  t.equal(now.completed, 50);
  t.equal(now.verified, 50);
  t.equal(now.places_left, 0);
  t.equal(now.entered, crowd.length);
  for (const { rid } of bots)
    t.ok([titles.declined, titles.full].includes(ends.get(rid) as never), `${rid} ended at: ${ends.get(rid)}`);
  t.equal(
    now.entered - now.screened_out,
    50 + people.filter(({ rid }) => ends.get(rid) === titles.thanks && isTerminated(rid)).length,
  );
});

t.test('the export is exactly the verified completes, in both formats', async (t) => {
  const completes = survey.arrivals
    .map((parameters) => ridOf(parameters.get('vh_token') ?? ''))
    .filter((rid) => !isTerminated(rid) && ends.get(rid) === titles.thanks)
    .sort();
  const ndjson = await call('GET', `/studies/${study.studyId}/export?format=ndjson`);
  const lines = ndjson.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RespondentReply);
  t.same(lines.map(({ respondentId }) => respondentId).sort(), completes);
  t.equal(lines.length, 50);
  t.ok(lines.every(({ status, returnedAt }) => status === 'completed' && returnedAt !== null));
  const csv = await call('GET', `/studies/${study.studyId}/export?format=csv`);
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  t.same(
    csv.text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[1])
      .sort(),
    completes,
  );
});

t.test('respondents come a page at a time, with the token that the survey was given', async (t) => {
  const tokens = new Map(
    survey.arrivals.map((parameters) => [ridOf(parameters.get('vh_token') ?? ''), parameters.get('vh_token')]),
  );
  const seen: RespondentReply[] = [];
  for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 10; pages++) {
    const page: { readonly respondents: RespondentReply[]; readonly nextCursor: string | null } = (
      await call(
        'GET',
        `/studies/${study.studyId}/respondents?limit=20&token=on${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
    ).body;
    seen.push(...page.respondents);
    cursor = page.nextCursor;
  }
  t.equal(new Set(seen.map(({ sessionId }) => sessionId)).size, 50);
  for (const { respondentId, token, country } of seen) {
    t.equal(token, tokens.get(respondentId));
    t.equal(country, 'DE');
  }
  const { payload } = await jwtVerify(
    seen[0]?.token ?? '',
    createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`)),
    {
      issuer: baseUrl,
      audience: projectId,
      algorithms: ['EdDSA'],
      typ: 'vh-place+jwt',
    },
  );
  t.match(payload, { purpose: 'study_place', mode: 'live', study_id: study.studyId });
  const none = { liveness: null, uniqueness: null, authenticity: null, overall: null, quality: null, fraud: null };
  t.same(payload['scores'], none, 'no verification was part of the place');
  t.equal(payload.sub, seen[0]?.sessionId);
});

t.test('survey parameters of the owner’s own stay, and ours are beside them', async (t) => {
  const [first] = survey.arrivals;
  t.equal(first?.get('wave'), '2');
  t.equal(first?.get('vh_return'), `${audienceUrl}/return`);
});

t.test('every close is told to scoring once, and a supplier sees no study that is full', async (t) => {
  const metrics = async (): Promise<number> => {
    const text = await (await fetch(`${service.bootstrap.adminUrl}/metrics`)).text();
    return Number(/vh_outcome_events_total\{result="accepted"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const closed = survey.arrivals.length;
  t.equal(await metrics(), 0, 'the browser’s own word teaches nothing');
  const listed = (await call('GET', `/studies/${study.studyId}/respondents?limit=200&status=completed`)).body as {
    readonly respondents: readonly RespondentReply[];
  };
  const complete = new Set(listed.respondents.map(({ sessionId }) => sessionId));
  for (const arrival of survey.arrivals) {
    const place = placeOf(arrival.get('vh_token') ?? '');
    const status = complete.has(place) ? 'complete' : 'terminate';
    const reported = await call('POST', `/studies/${study.studyId}/returns`, { place, status });
    t.match(reported.body, { place, changed: true, completion: complete.has(place) ? 'confirmed' : null });
  }
  await waitUntil(async () => (await metrics()) >= closed, 'outcomes are told');
  t.equal(await metrics(), closed);
  t.same(((await call('GET', '/supply/studies')).body as { studies: unknown[] }).studies, []);
  t.same(
    service.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 40),
    [],
  );
});
