/**
 * Packs parts of a record: msgpack values one after another, in which the fields of a layout stand by position instead of by name. A field that
 * is absent is not null. An object with a field that its layout does not know is packed with names, so that nothing is lost.
 *
 *   format · part · part ...
 */
import { FLOAT32_OPTIONS, Packr } from 'msgpackr';
import { toHex } from '../contract/hash.js';

const packr = new Packr({ useRecords: false, useFloat32: FLOAT32_OPTIONS.DECIMAL_FIT });

/** The first value of everything packed here. */
const format = 1;

type Fields = Record<string, unknown>;

/** A shorter form of a value. A value without one is packed unchanged. */
export interface Layout {
  encode(value: unknown): unknown;
  decode(packed: unknown): unknown;
}

export const packPart = (layout: Layout, value: unknown): Uint8Array => packr.pack(layout.encode(value));

/** The start and the parts, packed in one go: a list of them, without the byte that says so. */
export function packStart(...encoded: readonly unknown[]): Uint8Array {
  const { buffer, byteOffset, length } = packr.pack([format, ...encoded]);
  return new Uint8Array(buffer, byteOffset + 1, length - 1);
}

/** Packed parts, one behind the other. */
export function joinParts(...parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.length;
  const joined = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The parts, for their layouts. Throws for another format, and for bytes that end early. */
export function readParts(packed: Uint8Array): readonly unknown[] {
  const [first, ...parts] = packr.unpackMultiple(packed) as readonly unknown[];
  if (first !== format) throw new Error('the bytes are no record of a known format');
  return parts;
}

/** Fields in this order. They are only ever added, at the end: a reader that does not know them passes over them. `left`: fields that are packed elsewhere. */
export function shape(
  fieldNames: string,
  inner: Readonly<Record<string, Layout>> = {},
  left: readonly string[] = [],
): Layout {
  const names = fieldNames.split(' ');
  const layouts = names.map((name) => inner[name]);
  const byName = new Map(Object.entries(inner));
  return {
    encode(value) {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) throw new Error('a record holds a list where its layout has fields');
      const fields = value as Fields;
      let length = names.length;
      while (length > 0 && fields[names[length - 1] ?? ''] === undefined) length -= 1;
      const values = new Array<unknown>(length);
      let known = 0;
      for (let place = 0; place < length; place += 1) {
        const field = fields[names[place] ?? ''];
        if (field === undefined) continue;
        known += 1;
        values[place] = layouts[place]?.encode(field) ?? field;
      }
      for (const name of left) if (fields[name] !== undefined) known += 1;
      return countFields(fields) === known
        ? values
        : mapFields(fields, (name, value) =>
            left.includes(name) ? undefined : (byName.get(name)?.encode(value) ?? value),
          );
    },
    decode(packed) {
      if (typeof packed !== 'object' || packed === null) return packed;
      if (!Array.isArray(packed))
        return mapFields(packed as Fields, (name, value) => byName.get(name)?.decode(value) ?? value);
      const fields: Fields = {};
      for (let place = 0; place < names.length && place < packed.length; place += 1) {
        const value: unknown = packed[place];
        const layout = layouts[place];
        if (value !== undefined) fields[names[place] ?? ''] = layout === undefined ? value : layout.decode(value);
      }
      return fields;
    },
  };
}

function countFields(fields: Fields): number {
  let count = 0;
  for (const name in fields) if (fields[name] !== undefined) count += 1;
  return count;
}

/** Without those that become undefined. */
const mapFields = (fields: Fields, map: (name: string, value: unknown) => unknown): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]): [string, unknown] => [name, map(name, value)])
      .filter(([, value]) => value !== undefined),
  );

export const listOf = (item: Layout): Layout => ({
  encode: (value) => (Array.isArray(value) ? value.map((each) => item.encode(each)) : value),
  decode: (packed) => (Array.isArray(packed) ? packed.map((each) => item.decode(each)) : packed),
});

/** A text of the list of words, by its place there. */
export const word: Layout = {
  encode: (value) => (typeof value === 'string' ? (placeOfWord.get(value) ?? value) : value),
  decode: (packed) => (typeof packed === 'number' ? wordAt(packed) : packed),
};
const wordAt = (place: number): string => {
  const text = words[place];
  if (text === undefined) throw new Error('a record names a word that this version does not know');
  return text;
};

/** An identifier: 32 lower-case hexadecimal digits behind its prefix, as bytes. */
export function id(prefix: string): Layout {
  const pattern = new RegExp(`^${prefix}[0-9a-f]{32}$`);
  return {
    encode: (value) =>
      typeof value === 'string' && pattern.test(value) ? Buffer.from(value.slice(prefix.length), 'hex') : value,
    decode: (packed) => (packed instanceof Uint8Array ? prefix + Buffer.from(packed).toString('hex') : packed),
  };
}

const hashForm = /^[0-9a-f]{8}$/;

/** Eight lower-case hexadecimal digits, as a number. */
export const hash: Layout = {
  encode: (value) => (typeof value === 'string' && hashForm.test(value) ? Number.parseInt(value, 16) : value),
  decode: (packed) => (typeof packed === 'number' ? toHex(packed) : packed),
};

/** Frequent texts, by their place: the first 128 take one byte. Frozen with the format; a text that is not here is written out. */
const words: readonly string[] = (
  'against for notes none weak moderate strong ' +
  // Findings.
  'network_hosting network_anonymous declared_country_mismatch clock_country_mismatch address_not_public geo_unavailable network_unavailable ' +
  'headless_user_agent webdriver automation_globals declared_bot debugging_protocol software_renderer window_impossible lies_proxy lies_worker ' +
  'lies_frame lies_own lies_privacy agent_transport_mismatch agent_caller_mismatch platform_contradiction hint_mismatch language_mismatch ' +
  'device_tokens_several pages_at_once agent_signature_invalid agent_signature_unverified agent_signature_verified device_consistent ' +
  'client_probe_missing probe_unusable probe_unreadable organization_key probe_elsewhere fixed_session_live device_farm device_shared_many ' +
  'address_burst address_busy prefix_burst source_burst shared_network_recognised household_recognised counters_unavailable input_untrusted ' +
  'click_without_press key_without_press typing_inhuman click_without_pointer press_without_pressure click_centred click_unsettled ' +
  'pointer_teleports pointer_uncoalesced pointer_metronome pointer_straight key_without_code input_without_keys wheel_contradiction ' +
  'touch_uniform questions_rushed answers_pasted pointer_humanlike touch_humanlike typing_humanlike confirmed_clawback ' +
  'respondent_record_adverse respondent_record_clean respondent_stats_adverse respondent_stats_clean respondent_stats_attempts ' +
  'respondent_stats_unused source_record_adverse source_record_clean sub_source_record_adverse sub_source_record_clean respondent_new ' +
  'respondent_id_equals_session_id supplier_stats_deprecated_alias history_unavailable unknown_fields identity_not_hashed repeat_respondent ' +
  'repeat_device similar_device device_contradiction duplicate_unmeasured ' +
  // Verdicts and what they rest on.
  'allow review block step_up human fraud verified_agent unknown possible likely confirmed uncorroborated policy dispositive ' +
  'public private residential mobile hosting anonymous education business load update similar device respondent ' +
  'loopback reserved neutral review_lean score_normally can_step_up_to_biometric can_step_up_to_captcha verified invalid unverified ' +
  'windows macos linux android ios chromeos chrome safari firefox edge opera samsung other ' +
  'windows/chrome windows/edge windows/firefox windows/opera windows/other macos/safari macos/chrome macos/firefox macos/edge macos/other ' +
  'ios/safari ios/chrome ios/firefox ios/edge ios/other android/chrome android/firefox android/samsung android/edge android/opera android/other ' +
  'linux/chrome linux/firefox linux/other chromeos/chrome same_device_hash same_home token address'
).split(' ');
const placeOfWord = new Map(words.map((text, place) => [text, place]));
