/**
 * A session’s probe as it is kept: its pages packed into one text. Terms of sketches recur from device to device, and what is unpacked here goes on
 * into the record of its session, so that equal ones are one text.
 */
import type { DeviceSketch } from '../../../contract/facts.js';
import type { RiskIndicator } from '../port.js';
import { packed, type Packed, unpacked } from './keyspace.js';

export interface KeptPage {
  readonly nonce: string;
  /** Holds a message of that nonce which was replaced and stays. */
  readonly replaced: boolean;
  /** The page sent a load message; others wait for theirs. */
  readonly loaded: boolean;
  readonly loadSeq: number;
  readonly updateSeq: number;
  readonly load: Uint8Array | null;
  readonly update: Uint8Array | null;
  readonly loadIndicators: readonly RiskIndicator[];
  readonly updateIndicators: readonly RiskIndicator[];
  readonly atMs: number;
  readonly device: string | null;
  readonly sketch: DeviceSketch | null;
  readonly bands: readonly string[];
}

export interface KeptProbe {
  readonly pages: readonly KeptPage[];
  /** Names the latest message kept; none is named twice. */
  readonly version: string;
}

type PageFields = readonly [
  ...named: [nonce: string, replaced: boolean, loaded: boolean, loadSeq: number, updateSeq: number],
  ...messages: [
    load: Uint8Array | null,
    update: Uint8Array | null,
    loadIndicators: readonly RiskIndicator[],
    updateIndicators: readonly RiskIndicator[],
  ],
  ...seen: [atMs: number, device: string | null, terms: DeviceSketch['terms'] | null],
  ...of: [osFamily: string | null, browser: string | null, browserMajor: number | null, bands: readonly string[]],
];

export const packProbe = ({ version, pages }: KeptProbe): Packed => packed([version, pages.map(fieldsOf)]);

export function unpackProbe(text: Packed): KeptProbe {
  const [version, pages] = unpacked(text) as [string, PageFields[]];
  return { version, pages: pages.map(pageOf) };
}

function fieldsOf(page: KeptPage): PageFields {
  const { nonce, replaced, loaded, loadSeq, updateSeq, load, update, loadIndicators, updateIndicators, atMs, device } =
    page;
  const { terms = null, osFamily = null, browser = null, browserMajor = null } = page.sketch ?? {};
  const messages = [load, update, loadIndicators, updateIndicators] as const;
  const sketch = [terms, osFamily, browser, browserMajor] as const;
  return [nonce, replaced, loaded, loadSeq, updateSeq, ...messages, atMs, device, ...sketch, page.bands];
}

function pageOf(fields: PageFields): KeptPage {
  const [nonce, replaced, loaded, loadSeq, updateSeq, load, update, loadIndicators, updateIndicators, ...more] = fields;
  const [atMs, device, terms, osFamily, browser, browserMajor, bands] = more;
  const sketch =
    terms === null
      ? null
      : { terms: terms.map(shared), osFamily: shared(osFamily), browser: shared(browser), browserMajor };
  const messages = { load, update, loadIndicators, updateIndicators };
  return { nonce, replaced, loaded, loadSeq, updateSeq, atMs, device, sketch, bands, ...messages };
}

const sharedMax = 20_000;
const texts = new Map<string, string>();

/** The same text for equal ones, as far as they are remembered. */
function shared(text: string | null): string | null {
  if (text === null) return null;
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size >= sharedMax) texts.clear();
  texts.set(text, text);
  return text;
}
