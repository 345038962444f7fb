/** Commands whose texts are bytes, one a character, written as one text. */
import { Command } from 'ioredis';
import type { Bytes } from '../counting/bytes.js';
import type { Script } from './scripts.js';

/** One run of a script, as a function or as a script. */
export interface ScriptRun {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly Bytes[];
}

export type BytesCommand = BytesCall | ScriptRun;

export class BytesCall extends Command {
  constructor(
    name: 'mget' | 'getrange' | 'hmget' | 'set' | 'hset' | 'pexpire' | 'fcall' | 'evalsha' | 'eval',
    args: readonly Bytes[],
  ) {
    super(name, [], { replyEncoding: null });
    this.args = [...args];
    this.stringifyArguments();
  }

  static ofScript(name: 'fcall' | 'evalsha' | 'eval', script: string, { keys, args }: ScriptRun): BytesCall {
    return new BytesCall(name, [script, String(keys.length), ...keys, ...args]);
  }

  override toWritable(): Buffer {
    const args = this.args as readonly Bytes[];
    let text = `*${args.length + 1}\r\n$${this.name.length}\r\n${this.name}\r\n`;
    for (const arg of args) text += `$${arg.length}\r\n${arg}\r\n`;
    return Buffer.from(text, 'latin1');
  }
}
