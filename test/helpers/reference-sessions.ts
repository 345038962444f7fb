/**
 * Reads and judges test/workers/scoring/reference-sessions.jsonl: two lines a session, first its verdict, then its facts as far as they differ
 * from those of the first session. Throws on lines that are neither.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable } from '../../bench/markdown.js';
import type { ScoreFacts } from '../../src/contract/facts.js';
import { scoreFacts } from '../../workers/scoring/score.js';

interface Verdict {
  readonly session: string;
  readonly score: number;
  readonly recommendation: string;
  readonly class: string;
  readonly duplicate: string;
  /** Codes, in the order of the reply. */
  readonly against: readonly string[];
  readonly for: readonly string[];
  readonly notes: readonly string[];
}

/** Values by path; `lacks` are paths that the first session has and this one has not. */
interface Difference {
  readonly differs: Readonly<Record<string, unknown>>;
  readonly lacks: readonly string[];
}

export interface ReferenceSession {
  /** A session that was added by hand has a name alone. */
  readonly recorded: Pick<Verdict, 'session'> & Partial<Verdict>;
  readonly facts: ScoreFacts;
  /** The second line, as it stands. */
  readonly line: string;
}

const path = 'test/workers/scoring/reference-sessions.jsonl';

export const readReferenceSessions = (): ReferenceSession[] => parseReferences(readFileSync(path, 'utf8'));

export function parseReferences(text: string): ReferenceSession[] {
  const lines = text.trimEnd().split('\n');
  const { facts: first } = JSON.parse(lines[1] ?? '{}') as { readonly facts: ScoreFacts };
  return lines.flatMap((line, n) => {
    if (n % 2 === 1) return [];
    const factsLine = lines[n + 1] ?? '';
    const recorded = JSON.parse(line) as ReferenceSession['recorded'];
    const facts = n === 0 ? first : applyDifference(first, parseDifference(factsLine, recorded.session), recorded);
    return [{ recorded, facts, line: factsLine }];
  });
}

function parseDifference(line: string, session: string): Difference {
  let difference: Partial<Difference>;
  try {
    difference = JSON.parse(line) as Partial<Difference>;
  } catch (error) {
    throw new Error(`${session}: the second line is no JSON: ${(error as Error).message}`);
  }
  const { differs, lacks = [] } = difference;
  if (differs !== undefined) return { differs, lacks };
  throw new Error(`${session}: the second line has no "differs": {"differs":{"probe.body.loc.language":"fr"}}`);
}

type Group = Record<string, unknown>;

function applyDifference(
  first: ScoreFacts,
  { differs, lacks }: Difference,
  { session }: ReferenceSession['recorded'],
): ScoreFacts {
  const facts = structuredClone(first);
  /** The object that holds the last part of the path. */
  const holderOf = (path: string): readonly [holder: Group, name: string] => {
    const names = path.split('.');
    let holder = facts as unknown as Group;
    for (const [place, name] of names.slice(0, -1).entries()) {
      const next = holder[name];
      if (typeof next !== 'object' || next === null) {
        const missing = names.slice(0, place + 1).join('.');
        throw new Error(`${session}: the first session has no ${missing}, so that ${path} changes nothing`);
      }
      holder = next as Group;
    }
    return [holder, names.at(-1) as string];
  };
  for (const [path, value] of Object.entries(differs)) {
    const [holder, name] = holderOf(path);
    holder[name] = value;
  }
  for (const path of lacks) {
    const [holder, name] = holderOf(path);
    delete holder[name];
  }
  return facts;
}

/** The verdict of the rules in force. */
export function judgeReference({ recorded: { session }, facts }: ReferenceSession): Verdict {
  const { score, recommendation, verdictClass, duplicate, evidence } = scoreFacts(facts).reply;
  const codesOf = (list: 'against' | 'for' | 'notes') => evidence[list].map(({ code }) => code);
  return {
    ...{ session, score, recommendation, class: verdictClass, duplicate: duplicate.band },
    ...{ against: codesOf('against'), for: codesOf('for'), notes: codesOf('notes') },
  };
}

/** A table of the sessions whose verdict is another one than recorded; null if there is none. */
export function compareReferences(sessions: readonly ReferenceSession[]): string | null {
  const rows = sessions.flatMap((session) => {
    const { recorded } = session;
    const now = judgeReference(session);
    if (JSON.stringify(now) === JSON.stringify(recorded)) return [];
    const change = (name: 'score' | 'recommendation' | 'class' | 'duplicate') =>
      recorded[name] === now[name] ? String(now[name]) : `${recorded[name] ?? 'new'} → ${now[name]}`;
    return [
      [now.session, change('score'), change('recommendation'), change('class'), change('duplicate')].concat(
        describeCodes(recorded, now),
      ),
    ];
  });
  if (rows.length === 0) return null;
  return markdownTable(['session', 'score', 'recommendation', 'class', 'duplicate', 'codes'], rows);
}

/** Codes that came, went or have another place. */
function describeCodes(before: Partial<Verdict>, now: Verdict): string {
  const placed = (verdict: Partial<Verdict>): string[] =>
    (['against', 'for', 'notes'] as const).flatMap((list) => (verdict[list] ?? []).map((code) => `${list}/${code}`));
  const [was, is] = [placed(before), placed(now)];
  const gone = was.filter((code) => !is.includes(code)).map((code) => `-${code}`);
  const come = is.filter((code) => !was.includes(code)).map((code) => `+${code}`);
  const changed = [...gone, ...come];
  return changed.length === 0 && was.join() !== is.join() ? `now in the order ${is.join(', ')}` : changed.join(' ');
}

/** Writes the verdicts of the rules in force; the facts stay as they are. */
export function writeReferences(sessions: readonly ReferenceSession[]): void {
  const lines = sessions.flatMap((session) => [JSON.stringify(judgeReference(session)), session.line]);
  writeFileSync(path, `${lines.join('\n')}\n`);
}
