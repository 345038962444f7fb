/** Readers of the simple kinds of values of settings. Each throws what is wrong with the value, to go behind the setting's name. */
import { Buffer } from 'node:buffer';
import { parseNetwork, type Network } from '../net/forwarding.js';

const fail = (problem: string): never => {
  throw new Error(problem);
};

export const text = (text: string): string => text.trim() || fail('is empty. Set a value or omit it');

export const integer = (minimum: number, maximum: number) => (text: string) => {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= minimum && value <= maximum
    ? value
    : fail(`must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
};

export const oneOf =
  <const V extends readonly string[]>(values: V) =>
  (text: string): V[number] =>
    values.find((value) => value === text) ?? fail(`must be one of ${values.join(', ')}, not "${text}"`);

export const someOf =
  <const V extends readonly string[]>(values: V) =>
  (text: string): readonly V[number][] =>
    text.split(',').map((part) => oneOf(values)(part.trim()));

export const onOff = (text: string): boolean => {
  const lower = text.toLowerCase();
  if (['on', 'true', '1'].includes(lower)) return true;
  return ['off', 'false', '0'].includes(lower) ? false : fail(`must be on or off (true, false, 1, 0), not "${text}"`);
};

export const url = (text: string): string =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
    ? text.replace(/\/+$/, '')
    : fail('must be an absolute URL that starts with https:// or http://');

/** An address for people, as RFC 9116 states it. */
export const contact = (text: string): string =>
  /^(?:mailto:|https:\/\/|tel:)[!-~]+$/.test(text)
    ? text
    : fail(`must begin with mailto:, https: or tel:, as mailto:security@example.com, not "${text}"`);

/** Never repeats the value: it may hold a password. */
export const serverUrl =
  (...schemes: readonly string[]) =>
  (text: string): string => {
    const shown = schemes.map((scheme) => `${scheme}://`).join(' or ');
    return schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text)
      ? text
      : fail(`must be an absolute URL that starts with ${shown}`);
  };

/** One node, or with +cluster or +sentinel several separated by commas, which no plain URL can name; Sentinels are followed by the name of their master. */
export const redisUrl = (text: string): string => {
  const [, kind, nodes = '', path = ''] =
    /^rediss?\+(cluster|sentinel):\/\/(?:[^@]*@)?([^/]+)(?:\/(.*))?$/.exec(text) ?? [];
  if (kind === undefined)
    return serverUrl('redis', 'rediss', 'redis+cluster', 'rediss+cluster', 'redis+sentinel', 'rediss+sentinel')(text);
  if (!nodes.split(',').every((node) => URL.canParse(`redis://${node}`))) return fail('must list nodes as host:port');
  if (kind === 'sentinel' && !/^[\w.-]+$/.test(path))
    return fail('must end with the master’s name: redis+sentinel://host:port,host:port/NAME');
  return kind === 'cluster' && path !== ''
    ? fail('must end after its nodes, because a cluster has no databases')
    : text;
};

export const brokers = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) =>
      /^[^\s:/]+:\d+$|^\[[0-9a-f:]+\]:\d+$/i.test(part.trim())
        ? part.trim()
        : fail(`must list brokers as host:port, separated by commas; "${part.trim()}" is invalid`),
    );

export const networks = (text: string): readonly Network[] =>
  text
    .split(',')
    .map(
      (part) =>
        parseNetwork(part.trim()) ??
        fail(`must list addresses or CIDRs other than /0, separated by commas; "${part.trim()}" is invalid`),
    );

export const topicPrefix = (text: string): string =>
  /^[A-Za-z0-9._-]{1,100}$/.test(text) ? text : fail('must have at most 100 letters, digits, ".", "_" and "-"');

export const masterKey = (text: string): Uint8Array => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 ? bytes : fail('must be 32 bytes in base64 (openssl rand -base64 32)');
};

export const masterKeys = (text: string): readonly Uint8Array[] =>
  text.split(',').map((part) => masterKey(part.trim()));

export const waits = (text: string): readonly number[] => {
  const seconds = text.split(',').map((part) => (/^\d+(\.\d+)?$/.test(part.trim()) ? Number(part) : NaN));
  return seconds.length === 4 && seconds.every((value) => value <= 604_800)
    ? seconds
    : fail(`must be four waits in seconds, separated by commas (5,30,300,1800), each at most a week, not "${text}"`);
};
