import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { Command } from 'ioredis';
import t from 'tap';
import { BytesCall } from '../../../src/stores/counters/redis/bytes-call.js';
import type { Script } from '../../../src/stores/counters/redis/scripts.js';

const key = '{project}:';

/** Texts of one character a byte. */
const cases: Readonly<Record<string, readonly string[]>> = {
  'no arguments': [],
  'texts and numbers': ['1795384174711', '', '20', '0', '-1', '1.5'],
  'bytes that are no ASCII': ['d\xe9sert', '\xff', '\0'],
  'bytes at the start, side by side, empty and at the end': ['\0\xff\r\n', '', '\xe9', '\x07'.repeat(70_000)],
};

for (const [name, args] of Object.entries(cases)) {
  t.test(`a run of a script is sent as the client sends it: ${name}`, async () => {
    const own = BytesCall.ofScript('fcall', 'vh_script', { script: {} as Script, args: ['', '1', key, ...args] });
    const bytes = args.map((arg) => Buffer.from(arg, 'latin1'));
    const client = new Command('fcall', ['vh_script', 1, key, ...bytes], { replyEncoding: null });
    deepStrictEqual(own.toWritable(), Buffer.from(client.toWritable({})));
    deepStrictEqual(own.getKeys(), client.getKeys());
    strictEqual(own.getSlot(), client.getSlot());
  });
}
