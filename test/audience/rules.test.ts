/** The pure rules of studies: moves, the gate’s decision, checks, cells of an export, pages. */
import fc from 'fast-check';
import t from 'tap';
import { csvCell, csvLine, parseCsv, unescapeCell } from '../../src/audience/csv.js';
import { addressLimits } from '../../src/audience/limits.js';
import { pageNames } from '../../src/audience/page-texts.js';
import { headersOf, renderPage } from '../../src/audience/pages.js';
import { languages } from '../../src/administration/pages/languages.js';
import {
  canonicalLanguage,
  findStudyIssues,
  isVerificationEnough,
  programOf,
  screen,
  screenOutReasonOf,
  screenOutRuleOf,
  stateAfter,
} from '../../src/audience/study-rules.js';
import { screenedFors } from '../../src/audience/transitions.js';
import { programFindings } from '../../src/contract/program-findings.js';
import { Fault } from '../../src/errors.js';
import { redirectProblem } from '../../src/net/web-address.js';
import { deviceRules } from '../../workers/scoring/device-rules.js';
import { creation } from '../helpers/fielding.js';
import { possibleActions, studyActions, studyStates } from '../../src/contract/study-moves.js';

t.test('whatever declares a program with certainty is one for a study', (t) => {
  const certain = Object.entries(deviceRules).flatMap(([code, { group, severity }]) =>
    group === 'automation' && severity === 'high' ? [code] : [],
  );
  t.same([...programFindings].sort(), certain.sort());
  t.end();
});

t.test('a study moves along its table and nowhere else, and a refusal names the state and what is possible', (t) => {
  const moves = studyStates.flatMap((state) =>
    studyActions.flatMap((action) => {
      try {
        return [`${state} ${action} ${stateAfter(state, action)}`];
      } catch (error) {
        const { code, details } = error as Fault;
        t.equal(code, 'CONFLICT');
        t.same(details.context, { state, possible: possibleActions(state) });
        if (state === 'fielding') t.match((error as Fault).message, /Use pause, close or cancel\.$/);
        return [];
      }
    }),
  );
  t.same(moves, [
    'draft launch fielding',
    'draft cancel cancelled',
    'fielding pause paused',
    'fielding close completed',
    'fielding cancel cancelled',
    'paused resume fielding',
    'paused close completed',
    'paused cancel cancelled',
  ]);
  t.end();
});

t.test('the gate lets through what the quality asks for', (t) => {
  const person = {
    recommendation: 'allow',
    duplicateBand: 'none',
    sharesDevice: false,
    country: 'DE',
    isProgram: false,
  } as const;
  const standard = { countries: ['DE'], serviceCheck: false, minimumQuality: 'standard' } as const;
  const strict = { countries: ['DE'], serviceCheck: true, minimumQuality: 'strict' } as const;
  for (const [what, rules, expected] of [
    [{}, standard, null],
    [{ country: null }, strict, null],
    [{ country: 'FR' }, standard, 'country'],
    [{ recommendation: 'review' }, standard, null],
    [{ recommendation: 'review' }, strict, 'gate'],
    [{ recommendation: 'step_up' }, standard, 'gate'],
    [{ recommendation: 'step_up' }, { ...standard, serviceCheck: true }, null],
    [{ recommendation: 'block' }, standard, 'gate'],
    [{ duplicateBand: 'possible' }, standard, null],
    [{ isProgram: true }, standard, 'gate'],
    [{ isProgram: true, recommendation: 'step_up' }, { ...standard, serviceCheck: true }, 'gate'],
    [{ duplicateBand: 'likely' }, standard, 'duplicate'],
    [{ duplicateBand: 'confirmed', sharesDevice: true }, standard, null],
    [{ duplicateBand: 'confirmed', sharesDevice: true }, strict, 'duplicate'],
    [{ duplicateBand: 'likely' }, strict, 'duplicate'],
    [{ duplicateBand: 'confirmed' }, standard, 'duplicate'],
  ] as const)
    t.equal(screen({ ...person, ...what }, rules), expected, JSON.stringify(what));
  t.ok(isVerificationEnough({ status: 'pass', assurance: 'device_only' }, standard));
  t.notOk(isVerificationEnough({ status: 'pass', assurance: 'device_only' }, strict));
  t.ok(isVerificationEnough({ status: 'pass', assurance: 'biometric' }, strict));
  t.notOk(isVerificationEnough({ status: 'review', assurance: 'biometric' }, standard));
  t.end();
});

t.test('an address takes a household’s places, or a share of the study where strangers may share it', (t) => {
  const study = { limits: {}, sampleSize: 200 };
  for (const network of ['residential', 'hosting'] as const)
    t.same(addressLimits(study, network), { address: 3, network: 6 }, network);
  for (const network of ['anonymous', 'business', null] as const)
    t.same(addressLimits(study, network), { address: 20, network: 20 }, String(network));
  t.same(addressLimits({ limits: {}, sampleSize: 10 }, null), { address: 10, network: 10 });
  for (const network of ['mobile', 'education'] as const) {
    t.same(addressLimits(study, network), { address: null, network: null }, network);
    t.same(addressLimits({ limits: { perAddress: 4 }, sampleSize: 10 }, network), { address: 4, network: 8 }, network);
  }
  t.same(addressLimits({ limits: { perAddress: 40 }, sampleSize: 10 }, null), { address: 40, network: 80 });
  t.end();
});

t.test('addresses that hide where they lead, and schemes of other things, are no survey', (t) => {
  for (const url of [
    'http://survey.example/',
    'https://survey.example@evil.example/',
    'https://user:word@survey.example/',
    'https:\\\\evil.example/',
    'https://survey.example/\r\nlocation: https://evil.example',
    'https:/survey.example',
    '//survey.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://survey.example/',
    ' https://survey.example/',
  ])
    t.ok(redirectProblem(url, 'development') !== null, url);
  t.equal(redirectProblem('https://survey.example/a?b=c#d', 'production'), null);
  t.equal(redirectProblem('http://localhost:8080/', 'development'), null);
  t.ok(redirectProblem('http://localhost:8080/', 'production') !== null);
  t.end();
});

t.test('a language has to exist, and quotas have to make sense', (t) => {
  t.equal(canonicalLanguage('de-ch'), 'de-CH');
  t.equal(canonicalLanguage('zh-hans-cn'), 'zh-Hans-CN');
  for (const tag of ['english', 'xx', 'und', 'de_DE', '', 'e n']) t.equal(canonicalLanguage(tag), null, tag);
  const asked = creation('https://survey.example/');
  t.same(findStudyIssues(asked, 'production'), []);
  const issues = findStudyIssues(
    {
      ...asked,
      verification: { minimum_quality: 'strict', service_check: false },
      audience: {
        ...asked.audience,
        quotas: [
          { name: 'a', limit: 1, ageMin: 30, ageMax: 20 },
          { name: 'a', limit: 1, country: 'FR' },
          { name: 'b', limit: 1, gender: ' ' },
        ],
      },
    },
    'production',
  );
  t.same(
    issues.map(({ path }) => path),
    [
      '/verification/service_check',
      '/audience/quotas/0/ageMin',
      '/audience/quotas/1/name',
      '/audience/quotas/1/country',
      '/audience/quotas/2/gender',
    ],
  );
  t.end();
});

t.test('no cell of an export is run by a spreadsheet or leaves its place', (t) => {
  t.equal(csvCell('=1+1'), "'=1+1");
  t.equal(csvCell('@SUM(A1)'), "'@SUM(A1)");
  t.equal(csvCell('a"b,c'), '"a""b,c"');
  t.equal(csvCell('\rx'), '"\'\rx"');
  t.equal(csvCell(null), '');
  t.equal(csvCell("'-abc"), "''-abc", 'which -abc is not');
  t.equal(csvCell("it's"), "it's");
  t.equal(csvCell('x;=1+1;'), "x;'=1+1;", 'where cells end at a semicolon');
  t.equal(csvCell('x\ty\n@z'), `"x\ty\n'@z"`);
  t.equal(csvCell('＝1+1'), "'＝1+1");
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      const cell = csvCell(text);
      const isQuoted = cell.startsWith('"');
      const read = isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      return (
        !/^[=+\-@\t\r]/.test(read) &&
        (isQuoted || !/[",\r\n]/.test(cell)) &&
        read.replaceAll("'", '') === text.replaceAll("'", '')
      );
    }),
  );
  t.end();
});

t.test('a table that is read comes to what was written, and what is no table is refused', (t) => {
  const written = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((text) => !text.startsWith("'"));
  fc.assert(
    fc.property(fc.array(fc.tuple(written, written), { minLength: 1 }), (records) => {
      const text = csvLine(['rid', 'note']) + records.map(csvLine).join('');
      t.same(
        parseCsv(text, 100)?.map((row) => ({
          rid: unescapeCell(row['rid'] ?? ''),
          note: unescapeCell(row['note'] ?? ''),
        })),
        records.map(([rid, note]) => ({ rid, note })),
      );
    }),
  );
  t.same(parseCsv('\uFEFFrid,reason\nr-1,fraud\n\n,quality', 100), [
    { rid: 'r-1', reason: 'fraud' },
    { reason: 'quality' },
  ]);
  for (const text of ['rid\n"open', 'rid\na"b', 'rid\na,b', 'rid,rid\na,b', 'rid;reason\na;b', 'rid\treason\na\tb'])
    t.equal(parseCsv(text, 100), null, text);
  const table = (records: number, blank: number) => `rid\n${'\n'.repeat(blank)}${'r\n'.repeat(records)}`;
  t.equal(parseCsv(table(9, 5), 10)?.length, 9);
  t.equal(parseCsv(table(500_000, 0), 10)?.length, 11, 'one more than allowed is read, so that the caller sees it');
  t.equal(parseCsv(table(1, 500_000), 10), null, 'blank lines');
  const header = Array.from({ length: 33 }, (_, index) => `c${index}`).join();
  t.equal(parseCsv(`${header}\nr`, 10), null, 'columns');
  t.end();
});

t.test('a cell that is exported names its own text alone, whatever apostrophes and separators are in it', (t) => {
  const read = (text: string): string => unescapeCell(parseCsv(text, 1)?.[0]?.['rid'] ?? '');
  const risky = fc.string({
    unit: fc.constantFrom("'", '=', '-', '＋', ';', '\t', '\n', '\r', ',', '"', '|', 'a'),
    minLength: 1,
  });
  fc.assert(
    fc.property(risky, (text) => {
      t.equal(read(csvLine(['rid']) + csvLine([text])), text);
      const isRun = csvCell(text)
        .replace(/^"(.*)"$/s, '$1')
        .split(/[;\t\r\n|]/)
        .some((cell) => /^[=+\-@＝＋－＠]/.test(cell));
      t.notOk(isRun, 'no cell begins a formula, wherever a spreadsheet separates');
    }),
    { numRuns: 2_000 },
  );
  t.end();
});

t.test('pages speak each language, run nothing but the check, and say nothing of the gate', (t) => {
  const parts = {
    branding: null,
    brandSheet: null,
    audienceUrl: 'https://a.example/v1',
    studyName: '<Coffee>',
    check: null,
  };
  t.match(renderPage('full', { ...parts, language: 'de' }), /<html lang="de" dir="ltr">[^]*Diese Studie ist voll/);
  t.match(renderPage('full', { ...parts, language: 'ar' }), /<html lang="ar" dir="rtl">/);
  for (const language of languages)
    for (const page of pageNames) {
      const html = renderPage(page, { ...parts, language });
      t.match(html, /&lt;Coffee&gt;/);
      t.notMatch(html, /<script|fraud|\bbot\b|score|duplicate/i, `${language} ${page}`);
    }
  const check = { sessionId: 'plc_1', probeKey: 'pk_1', next: '?rid="&vh_checked=1' };
  t.match(
    renderPage('checking', { ...parts, language: 'en', check }),
    /data-next="\?rid=&quot;&amp;vh_checked=1"[^]*<noscript>/,
  );
  t.match(
    headersOf(null, false)['content-security-policy'],
    /^default-src 'none'; style-src 'self'; img-src data:; base-uri/,
  );
  t.match(
    headersOf('https://logo.example/a.png', true)['content-security-policy'],
    /img-src data: https:\/\/logo.example; script-src 'self'/,
  );
  t.end();
});

t.test('the rule that screened a respondent out is its reason, with what quality means', (t) => {
  const ruleOf = (screenedFor: (typeof screenedFors)[number], reason: string | null = null) =>
    screenOutRuleOf({ state: 'screened', screenedFor, reason });
  t.same(
    [ruleOf('gate'), ruleOf('gate', 'datacenter'), ruleOf('gate', 'webdriver'), ruleOf('verification', 'webdriver')],
    ['score', 'score', 'program', 'verification'],
  );
  for (const screenedFor of screenedFors.filter((each) => each !== 'gate' && each !== 'verification'))
    t.equal(ruleOf(screenedFor, 'webdriver'), screenOutReasonOf({ state: 'screened', screenedFor }));
  t.equal(screenOutRuleOf({ state: 'released', screenedFor: null, reason: 'webdriver' }), null);
  t.end();
});

t.test('a program is named by its own finding, whatever weighs more', (t) => {
  const reasons = ['datacenter', 'webdriver', 'headless_user_agent'].map((code) => ({ code }));
  t.equal(programOf({ reasons } as Parameters<typeof programOf>[0]), 'webdriver');
  t.equal(programOf({ reasons: [] }), null);
  t.end();
});
