import t from 'tap';
import { isDeclaredBot } from '../../src/contract/declared-program.js';
import { isHeadless, readUserAgent } from '../../src/contract/user-agent.js';
import { userAgentLengthMax } from '../../src/limits.js';
import { chromeOnWindows, safariOnPhone } from '../helpers/facts.js';
import { agentsOfPeople, agentsOfPrograms } from './user-agents.js';

t.test('system, browser and version are read from the usual user agents', (t) => {
  const read = (text: string) => {
    const { os, browser, major, mobile } = readUserAgent(text) ?? {};
    return [os, browser, major, mobile];
  };
  t.same(read(chromeOnWindows), ['windows', 'chrome', 149, false]);
  t.same(read(safariOnPhone), ['ios', 'safari', 18, true]);
  t.same(read(`${chromeOnWindows} Edg/149.0.1`), ['windows', 'edge', 149, false]);
  t.same(
    read(
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Mobile Safari/537.36',
    ),
    ['android', 'chrome', 149, true],
  );
  t.same(read('Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0'), [
    'macos',
    'firefox',
    140,
    false,
  ]);
  t.same(
    read(
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
    ),
    ['chromeos', 'chrome', 149, false],
  );
  t.same(read('Chrome/'), [null, 'chrome', null, false]);
  t.same(read('nonsense'), [null, null, null, false]);
  t.equal(readUserAgent(''), null);
  t.equal(readUserAgent(undefined), null);
  t.end();
});

t.test('headless browsers and declared bots are told from people', (t) => {
  t.ok(isHeadless(chromeOnWindows.replace('Chrome/', 'HeadlessChrome/')));
  t.notOk(isHeadless(chromeOnWindows));
  for (const text of ['curl/8.5.0', 'python-requests/2.32.0', 'Googlebot/2.1 (+http://www.google.com/bot.html)'])
    t.ok(isDeclaredBot(text), text);
  for (const text of [chromeOnWindows, safariOnPhone]) t.notOk(isDeclaredBot(text));
  t.end();
});

t.test('browsers inside of apps and rare phones are no programs, and programs in the guise of a browser are', (t) => {
  t.ok(agentsOfPeople.length + agentsOfPrograms.length >= 200);
  for (const text of agentsOfPeople) t.notOk(isDeclaredBot(text), text);
  for (const text of agentsOfPrograms) t.ok(isDeclaredBot(text), text);
  t.end();
});

t.test('a user agent is looked at up to one length, whoever sends it', (t) => {
  const long = chromeOnWindows.padEnd(5_000, ' more');
  t.equal(readUserAgent(long)?.text.length, userAgentLengthMax);
  t.equal(readUserAgent(long.slice(0, userAgentLengthMax))?.text, readUserAgent(long)?.text);
  t.equal(readUserAgent(long)?.browser, 'chrome');
  t.end();
});
