/** Commands that call a service, against a real one, as a customer runs them. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bashCompletion } from '../../src/cli/completion.js';
import { optionsOf, remoteCommands, runRemote } from '../../src/cli/remote/run.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { pollUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);

t.test('commands against a service', async (t) => {
  const { bootstrap } = await startTestService(t);
  const { baseUrl, audienceUrl, projectKey, organizationKey } = bootstrap;
  const environment = { API: baseUrl, AUDIENCE: audienceUrl, PROJECT_KEY: projectKey };
  const run = async (line: string, given: Readonly<Record<string, string>> = environment) => {
    const [name = '', ...args] = line.split(' ');
    const printed = { out: '', err: '' };
    const code = await runRemote(name, args, {
      environment: given,
      out: (text) => (printed.out += text),
      err: (text) => (printed.err += text),
    });
    return { code, ...printed };
  };
  const json = async (line: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const { code, out, err } = await run(`${line} --json`);
    t.equal(code, 0, err);
    return out
      .split('\n')
      .filter(Boolean)
      .map((each) => JSON.parse(each) as Readonly<Record<string, unknown>>);
  };

  await t.test('a session is scored, listed and explained', async (t) => {
    t.match(await run('score --session s-1 --ip 203.0.113.24 --source panel-a'), {
      code: 0,
      out: /^score \d+, allow; duplicate: not measured; independence: .*\n.*\n[^]*receipt rcpt_/,
    });
    const [scored] = await json(
      'score --session s-2 --ip 203.0.113.25 --source panel-a --user-agent HeadlessChrome/130',
    );
    t.match(scored, { recommendation: 'review', receiptId: /^rcpt_/ });
    t.match(await run(`evidence ${String(scored?.['receiptId'])}`), { code: 0, out: /headless_user_agent: / });
    await pollUntil('both in the list', async () => {
      const found = await json('sessions --source panel-a');
      return found.length === 2 ? found : undefined;
    });
    t.match(await run('sessions --recommendation review'), {
      out: /^scored +score.*\n.*review.*headless_user_agent +s-2\n$/,
    });
    t.match(await run('session s-2'), { out: /review[^]*No outcome was reported/ });
    t.match(await run('simulate --review 10 --block 50'), { out: /review +1 +\d[^]*2 sessions/ });
    t.match(await run('sources'), { code: 0, out: /^source +sessions .*\npanel-a +2 +50% +0% +- +- +-\n$/ });
    t.match(await run('sources --to 2026-01-01T00:00:00Z'), { code: 0, out: /There is no source/ });
    t.match(await run('deliveries'), { code: 0, out: /There is no delivery/ });
    t.match(await run('studies'), { code: 0, out: /There is no study/ });
  });

  await t.test(
    'a table of outcomes is posted, with its refused lines, and goes on where it was interrupted',
    async (t) => {
      const file = join(temporaryDirectory(t), 'outcomes.csv');
      const time = new Date().toISOString();
      writeFileSync(
        file,
        `\uFEFFsessionId,type,occurredAt,reasonClass,detail.note\r\ns-1,complete,${time},,"a, b"\r\n`,
      );
      appendFileSync(file, `s-2,buyer_reject,${time},fraud,\ns-2,nonsense,${time},,\ns-2,"\n`);
      const [sum] = await json(`events import ${file}`);
      t.match(sum, { lines: 3, accepted: 2, rejected: 2, unmatched: 0 });
      t.match(readFileSync(`${file}.refused`, 'utf8'), /^line 5: .*\nline 4: type /);
      t.notOk(existsSync(`${file}.progress`));
      await pollUntil('the outcome', async () => (await run('session s-2')).out.includes('buyer_reject') || undefined);
      await pollUntil(
        'its label',
        async () => /panel-a .*% \(.*% to .*%\) +1 of 2 /.test((await run('sources')).out) || undefined,
      );
      writeFileSync(`${file}.progress`, JSON.stringify({ done: 2, sum: { ...sum, accepted: 2, rejected: 0 } }));
      t.match(await run(`events import ${file}`), {
        code: 0,
        err: /^Going on after line 3/,
        out: /^3 lines: 2 accepted, 0 known before, 2 refused/,
      });
      const [again] = await json(`events import ${file} --restart`);
      t.match(again, { accepted: 0, duplicates: 2, rejected: 2 });
    },
  );

  await t.test('mistakes are named', async (t) => {
    const file = join(temporaryDirectory(t), 'other.csv');
    writeFileSync(file, 'session,type,occurredAt\ns-1,complete,now\n');
    const short = join(temporaryDirectory(t), 'short.csv');
    writeFileSync(short, 'sessionId,occurredAt\ns-1,now\n');
    const mistakes: readonly (readonly [string, number, RegExp])[] = [
      ['score --session s-1', 2, /Name the session and its address/],
      ['score --session s-1 --ip nonsense', 1, /^VALIDATION_FAILED: \/clientIp .*\nrequest /],
      ['sessions --limit many', 2, /--limit takes a number/],
      ['sessions --nope', 2, /Unknown option '--nope'/],
      ['events import', 2, /Name one file/],
      ['events import absent.csv', 2, /absent.csv does not exist/],
      [`events import ${file}`, 2, /"session" is no column of an outcome/],
      [
        `events import ${short}`,
        2,
        /columns sessionId, occurredAt, but no "type"\. Required: sessionId, type, occurred/,
      ],
      ['simulate --review 10', 2, /--block is missing\. Set both thresholds/],
      ['simulate 10 50', 2, /--review is missing/],
      ['deliveries replay', 2, /Name a webhook and one of its deliveries/],
      ['evidence rcpt_00000000000000000000000000000000', 1, /^RECEIPT_NOT_FOUND|NOT_FOUND/],
    ];
    for (const [line, code, err] of mistakes) t.match(await run(line), { code, err, out: '' }, line);
    t.match(await run('sessions', {}), { code: 2, err: /Set API or --api/ });
    t.match(await run('sessions', { API: baseUrl }), { code: 2, err: /Set PROJECT_KEY or --key/ });
    t.match(await run('deliveries', { API: baseUrl, PROJECT_KEY: organizationKey }), { code: 2, err: /no project/ });
    t.match(await run('studies', { API: baseUrl, PROJECT_KEY: projectKey }), { code: 2, err: /Set AUDIENCE to/ });
    t.match(await run('score --help', {}), { code: 0, out: /^Usage: verifyhuman score / });
  });
});

t.test('completions know every command and its options', (t) => {
  const text = bashCompletion(Object.entries(remoteCommands).map(([name, command]) => [name, optionsOf(command)]));
  for (const name of Object.keys(remoteCommands)) t.match(text, `    ${name}) words='--`, name);
  t.end();
});
