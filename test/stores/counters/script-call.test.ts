import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { Command } from 'ioredis';
import t from 'tap';
import type { Argument } from '../../../src/stores/counters/redis/arguments.js';
import { ScriptCall } from '../../../src/stores/counters/redis/script-runner.js';

const key = '{project}:';

const cases: Readonly<Record<string, readonly Argument[]>> = {
  'no arguments': [],
  'texts and numbers': ['1795384174711', '', 20, 0, -1, 1.5],
  'texts that are not ASCII': ['désert', '\u{1f335}', '半', '\ud800'],
  'byte strings at the start, side by side, empty and at the end': [
    Buffer.from([0, 0xff, 13, 10]),
    Buffer.alloc(0),
    'é',
    Buffer.alloc(70_000, 7),
  ],
};

for (const [name, args] of Object.entries(cases)) {
  t.test(`a run of a script is sent as the client sends it: ${name}`, async () => {
    const own = new ScriptCall('fcall', 'vh_script', key, args);
    const client = new Command('fcall', ['vh_script', 1, key, ...args], { replyEncoding: null });
    deepStrictEqual(own.toWritable(), Buffer.from(client.toWritable({})));
    deepStrictEqual(own.getKeys(), client.getKeys());
    strictEqual(own.getSlot(), client.getSlot());
  });
}
