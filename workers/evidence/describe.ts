/** The sentences of findings and of factors in a language. */
import { describeSignal, type Signal } from '../scoring/model.js';
import type { EvidenceTexts } from './texts/texts.js';

export type Describe = (signal: Signal) => string;

/** null: English. */
export function describeIn(texts: EvidenceTexts | null): Describe {
  if (texts === null) return describeSignal;
  const details: Readonly<Record<string, string>> = texts.details;
  return (signal) => {
    const { code, rule, value } = signal;
    const translated = typeof value === 'string' ? translateValue(value, texts) : value;
    return describeSignal({ ...signal, rule: { ...rule, detail: details[code] ?? rule.detail }, value: translated });
  };
}

/** Lists part by part; names of functions, fields and programs stay as they are. */
function translateValue(value: string, { words, summary }: EvidenceTexts): string {
  const known: Readonly<Record<string, string>> = words;
  if (Object.hasOwn(known, value)) return known[value] ?? value;
  const parts = value.split(', ').map((part) => {
    const [, times] = /^(\d+) times$/.exec(part) ?? [];
    if (times !== undefined) return words['{value} times'].replace('{value}', times);
    return Object.hasOwn(known, part) ? (known[part] ?? part) : part;
  });
  return parts.join(summary.separator);
}

/** `{one|other}` follows the count. */
export function describeFactor(text: string, count: number, total = 0): string {
  return text
    .replace(/\{([^{}|]*)\|([^{}|]*)\}/, count === 1 ? '$1' : '$2')
    .replace('{count}', String(count))
    .replace('{total}', String(total));
}
