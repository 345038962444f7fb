/** Faults of options that the receiver for trying webhooks out reports. */
import { spawnSync } from 'node:child_process';
import t from 'tap';

const entry = 'dist/src/cli/receiver.js';

t.test('--help prints the usage and succeeds; an unknown option fails with it', (t) => {
  const run = (args: string[]) => spawnSync('node', [entry, ...args], { encoding: 'utf8', timeout: 20_000 });
  t.match(run(['--help']), { status: 0, stdout: /Usage: npm run receiver/, stderr: '' });
  t.match(run(['--secrets', 's']), { status: 2, stderr: /--secrets[^]*Usage: npm run receiver/ });
  t.end();
});

t.test('options that mean nothing are refused with a sentence, and nothing listens', (t) => {
  const refused: [string[], RegExp][] = [
    [[], /--secret is missing/],
    [['--secret', 's', '--port', 'x'], /--port must be a number/],
    [['--secret', 's', '--port', '70000'], /--port must be a number/],
    [['--secret', 's', '--fail', '99'], /--fail must be a status/],
    [['--secret', 's', '--times', '2'], /--times must be a number and needs --fail/],
    [['--secret', 's', '--hang', '--fail', '500'], /--hang and --fail exclude each other/],
  ];
  for (const [args, message] of refused) {
    const { status, stderr } = spawnSync('node', [entry, ...args], { encoding: 'utf8', timeout: 20_000 });
    t.equal(status, 2, args.join(' '));
    t.match(stderr, message);
    t.match(stderr, /Usage: npm run receiver/);
  }
  t.end();
});
