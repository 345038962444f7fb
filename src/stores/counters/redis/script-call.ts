/**
 * One run of a script as the client sends it. The client measures and writes each argument and each mark between them apart, and a count has a hundred of
 * these; here all texts between two byte strings are joined and written at once. Everything else of a call is the client’s.
 */
import { Command } from 'ioredis';
import type { Argument } from './argument-layouts.js';

/** Answered in bytes. `name` in lower case, as the client looks it up in several tables. */
export class ScriptCall extends Command {
  constructor(name: 'fcall' | 'evalsha' | 'eval', script: string, key: string, args: readonly Argument[]) {
    // The client would flatten what it is given, which costs as much as all the rest.
    super(name, [], { replyEncoding: null });
    this.args = [script, '1', key, ...args];
    this.stringifyArguments();
  }

  override toWritable(): Buffer {
    const pieces: (string | Buffer)[] = [];
    let text = `*${this.args.length + 1}\r\n$${this.name.length}\r\n${this.name}\r\n`;
    for (const arg of this.args as readonly (string | Buffer)[]) {
      if (typeof arg === 'string') text += `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`;
      else {
        pieces.push(`${text}$${arg.length}\r\n`, arg);
        text = '\r\n';
      }
    }
    pieces.push(text);
    const sizes = pieces.map((piece) => Buffer.byteLength(piece));
    const call = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, 0));
    let at = 0;
    pieces.forEach((piece, index) => {
      const size = sizes[index] ?? 0;
      if (typeof piece !== 'string') call.set(piece, at);
      // A text of as many bytes as units is ASCII, which is copied as it is.
      else call.write(piece, at, size === piece.length ? 'latin1' : 'utf8');
      at += size;
    });
    return call;
  }
}
