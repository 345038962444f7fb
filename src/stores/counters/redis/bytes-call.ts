/** Commands whose texts are bytes, one a character, written as one text. */
import { Command } from 'ioredis';
import type { Bytes } from '../counting/bytes.js';
import type { Script } from './scripts.js';

/** One run of a script, as a function or as a script. `args` has room for its name first, then how many keys there are, these, and the rest. */
export interface ScriptRun {
  readonly script: Script;
  readonly args: Bytes[];
}

export type BytesCommand = BytesCall | ScriptRun;

/** The bytes before an argument of a length. */
const headOf = (length: number): string => `\r\n$${length}\r\n`;
/** Those of the command that is written, in one list for all. */
const parts: string[] = [];
const heads = Array.from({ length: 4_096 }, (_, length) => headOf(length));

export class BytesCall extends Command {
  constructor(name: 'mget' | 'getrange' | 'hmget' | 'hset' | 'del' | 'fcall' | 'evalsha' | 'eval', args: Bytes[]) {
    // The client would copy what it is given, and look at each.
    super(name, [], { replyEncoding: null });
    this.args = args;
  }

  static ofScript(name: 'fcall' | 'evalsha' | 'eval', script: string, { args }: ScriptRun): BytesCall {
    args[0] = script;
    return new BytesCall(name, args);
  }

  override toWritable(): Buffer {
    const args = this.args as readonly Bytes[];
    let place = 0;
    parts[place++] = `*${args.length + 1}\r\n$${this.name.length}\r\n${this.name}`;
    for (const arg of args) {
      parts[place++] = heads[arg.length] ?? headOf(arg.length);
      parts[place++] = arg;
    }
    parts[place++] = '\r\n';
    parts.length = place;
    return Buffer.from(parts.join(''), 'latin1');
  }
}
