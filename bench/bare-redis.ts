/**
 * The least that a client of Redis costs: commands of one turn of the event loop leave in one write, replies are read without an object for each.
 * An error of the server, or a lost connection, ends the process.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

export type Reply = string | number | null | readonly Reply[];
export type Command = readonly string[];

export interface BareRedis {
  /** Sends commands, whose texts are latin1. Resolves to their replies. */
  send(commands: readonly Command[]): Promise<readonly Reply[]>;
  close(): void;
}

interface Batch {
  readonly count: number;
  readonly replies: Reply[];
  readonly resolve: (replies: readonly Reply[]) => void;
}

export async function openBareRedis(url: string): Promise<BareRedis> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const batches: Batch[] = [];
  let outgoing = '';
  const flush = (): void => {
    socket.write(outgoing, 'latin1');
    outgoing = '';
  };
  const take = createReader((reply) => {
    const batch = batches[0];
    if (batch === undefined) throw new Error('a reply of Redis without a command');
    if (batch.replies.push(reply) < batch.count) return;
    batches.shift();
    batch.resolve(batch.replies);
  });
  socket.on('data', take);
  socket.on('end', () => {
    throw new Error('Redis ended the connection');
  });
  return {
    send: (commands) =>
      new Promise((resolve) => {
        if (outgoing === '') setImmediate(flush);
        for (const command of commands) outgoing += format(command);
        batches.push({ count: commands.length, replies: [], resolve });
      }),
    close: () => socket.destroy(),
  };
}

function format(command: Command): string {
  let text = `*${command.length}\r\n`;
  for (const argument of command) text += `$${argument.length}\r\n${argument}\r\n`;
  return text;
}

/** Calls `onReply` for each reply that is whole. */
export function createReader(onReply: (reply: Reply) => void): (bytes: Buffer) => void {
  let buffer: Buffer = Buffer.alloc(0);
  let at = 0;
  /** undefined if the reply is not whole yet. */
  const read = (): Reply | undefined => {
    const end = buffer.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const kind = buffer[at];
    const text = buffer.toString('latin1', at + 1, end);
    at = end + 2;
    if (kind === code.status) return text;
    if (kind === code.error) throw new Error(`Redis: ${text}`);
    const number = Number(text);
    if (kind === code.integer) return number;
    if (number < 0) return null;
    return kind === code.list ? readList(number) : readText(number);
  };
  const readText = (length: number): string | undefined => {
    const from = at;
    at += length + 2;
    return at > buffer.length ? undefined : buffer.toString('latin1', from, from + length);
  };
  const readList = (length: number): Reply | undefined => {
    const list: Reply[] = [];
    for (let i = 0; i < length; i += 1) {
      const item = read();
      if (item === undefined) return undefined;
      list.push(item);
    }
    return list;
  };
  return (bytes) => {
    buffer = at === buffer.length ? bytes : Buffer.concat([buffer.subarray(at), bytes]);
    at = 0;
    for (let start = 0; at < buffer.length; start = at) {
      const reply = read();
      if (reply === undefined) {
        at = start;
        return;
      }
      onReply(reply);
    }
  };
}

const code = { status: 0x2b, error: 0x2d, integer: 0x3a, list: 0x2a } as const;
