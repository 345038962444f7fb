/**
 * Compares a session with earlier ones of its scope (Fellegi and Sunter: each term that agrees speaks for one device the more,
 * the rarer it is in the project). A name for the same person or device outranks any likeness; likeness alone stays at `possible` wherever chance
 * would bring such a twin, on phones always. A hash alone never makes `confirmed`. null counts are not measured, not zero.
 */
import type { CountFacts, DeviceSketch, DuplicateCandidate, ScoreFacts } from '../../src/contract/facts.js';
import type { duplicateBands } from '../../src/contract/score.js';
import { clamp, createRaise, type Signal } from '../scoring/rule.js';
import type { Visit } from '../scoring/visit.js';
import { components } from './components.js';
import { duplicateRules } from './rules.js';
import { sketchDevice } from './sketch.js';

export type DuplicateBand = (typeof duplicateBands)[number];

export interface Duplication {
  readonly measured: boolean;
  readonly score: number;
  readonly band: DuplicateBand;
  /** Of rules without weight. */
  readonly signals: readonly Signal[];
}

export const duplicateEdges = {
  respondentScore: 100,
  deviceConfirmedScore: 97,
  deviceScore: 92,
  deviceContradictedScore: 60,
  likelyMax: 96,
  likelyMin: 90,
  possibleMax: 89,
  possibleMin: 50,
  /** Share of sessions that repeat an earlier one, before anything is compared. */
  priorShare: 0.05,
  /** Sketches that a project’s own frequencies are weighed against, and the fewest that likeness is judged among. */
  usualSketches: 100,
  sketchesMin: 500,
  /** Twins by chance to be expected from which likeness is not enough. */
  chanceMax: 0.1,
  kindDiscount: 0.5,
} as const;

const raise = createRaise(duplicateRules);
const edges = duplicateEdges;

export function judgeDuplication(visit: Visit): Duplication {
  const { facts } = visit;
  const { counts } = facts;
  if (!facts.measured || counts === null || isNothingCompared(counts)) {
    const signals: Signal[] = [];
    raise(signals, 'duplicate_unmeasured');
    return { measured: false, score: 0, band: 'none', signals };
  }
  const signals: Signal[] = [];
  const score = Math.max(judgeRespondent(counts, signals), judgeDevice(visit, counts, signals));
  return { measured: true, score, band: bandOf(score), signals };
}

/** Null throughout: nothing identified the session. */
function isNothingCompared({ deviceSessionsDay, respondentDay, terms, candidates }: CountFacts): boolean {
  return deviceSessionsDay === null && respondentDay === null && terms === null && candidates.length === 0;
}

function judgeRespondent(counts: CountFacts, signals: Signal[]): number {
  const found = counts.candidates.filter((candidate) => candidate.via === 'respondent').length;
  const earlier = Math.max(found, (counts.respondentDay ?? 0) - 1);
  if (earlier <= 0) return 0;
  raise(signals, 'repeat_respondent', 0, times(earlier));
  return edges.respondentScore;
}

function judgeDevice({ facts, body }: Visit, counts: CountFacts, signals: Signal[]): number {
  const found = counts.candidates.filter((candidate) => candidate.via === 'device');
  const similar = counts.candidates.filter((candidate) => candidate.via === 'similar');
  const comparable = body !== null && counts.candidates.some((candidate) => candidate.sketch !== null);
  const own = comparable ? sketchDevice(body, facts.probe?.transport.userAgent ?? null) : null;
  const likeness = own === null ? 0 : Math.max(0, ...similar.map((candidate) => likenessOf(own, candidate, counts.terms, facts.scoredAtMs)));
  const likenessScore = scoreLikeness(likeness);
  if (likenessScore >= edges.possibleMin) raise(signals, 'similar_device', 0, times(similar.length));
  const earlier = Math.max(found.length, (counts.deviceSessionsDay ?? 0) - 1);
  if (earlier <= 0) return likenessScore;
  raise(signals, 'repeat_device', 0, times(earlier));
  const contradicted = own !== null && found.length > 0 && found.every((candidate) => isContradicted(own, candidate, facts.scoredAtMs));
  if (contradicted) raise(signals, 'device_contradiction');
  const confirmed = found.some((candidate) => isCorroborated(facts, own, candidate, counts.terms));
  return Math.max(likenessScore, contradicted ? edges.deviceContradictedScore : confirmed ? edges.deviceConfirmedScore : edges.deviceScore);
}

/** A second, independent agreement beside the device’s identifier: the same network, or a likeness of its own. */
function isCorroborated(facts: ScoreFacts, own: DeviceSketch | null, candidate: DuplicateCandidate, terms: CountFacts['terms']): boolean {
  if (facts.prefix != null && candidate.prefix === facts.prefix) return true;
  return own !== null && likenessOf(own, candidate, terms, facts.scoredAtMs) >= edges.possibleMin / 100;
}

/** One device does not change its system, nor does its browser grow younger. */
function isContradicted(own: DeviceSketch, { sketch, atMs }: DuplicateCandidate, nowMs: number): boolean {
  if (sketch === null) return false;
  if (own.osFamily !== null && sketch.osFamily !== null && own.osFamily !== sketch.osFamily) return true;
  if (own.browser === null || own.browser !== sketch.browser || own.browserMajor === null || sketch.browserMajor === null) return false;
  return atMs <= nowMs ? own.browserMajor < sketch.browserMajor : own.browserMajor > sketch.browserMajor;
}

/** Probability that two sketches are of one device; at most just under `likely` where chance alone would bring such a twin. */
export function likenessOf(own: DeviceSketch, candidate: DuplicateCandidate, terms: CountFacts['terms'], nowMs: number): number {
  if (candidate.sketch === null || isContradicted(own, candidate, nowMs)) return 0;
  const bits = compareTerms(own, candidate.sketch, terms);
  const among = Math.max(terms?.total ?? 0, edges.sketchesMin);
  const odds = 2 ** (bits.agree + bits.differ) * (edges.priorShare / among);
  const posterior = odds / (1 + odds);
  const twins = among * 2 ** -bits.agree;
  const phone = own.osFamily === 'ios' || own.osFamily === 'android';
  const uncertain = terms === null || phone || twins > edges.chanceMax;
  return uncertain ? Math.min(posterior, edges.possibleMax / 100) : posterior;
}

/** Bits for (agree, above 0) and against (differ, below 0) one device; parts of one kind are discounted, the most telling first. */
function compareTerms(own: DeviceSketch, other: DeviceSketch, terms: CountFacts['terms']): { readonly agree: number; readonly differ: number } {
  const agree: Record<string, number[]> = { hardware: [], place: [] };
  const differ: Record<string, number[]> = { hardware: [], place: [] };
  components.forEach((component, index) => {
    const ours = own.terms[index] ?? null;
    const theirs = other.terms[index] ?? null;
    if (ours === null || theirs === null) return;
    const chance = chanceOf(component.usual, terms?.counts[index] ?? null, terms?.total ?? 0);
    if (ours === theirs) agree[component.kind]?.push(Math.max(0, Math.log2(component.same / chance)));
    else differ[component.kind]?.push(Math.min(0, Math.log2((1 - component.same) / (1 - chance))));
  });
  return { agree: discount(agree), differ: discount(differ) };
}

/** How common a value is: among the others of this project, weighed against what is usual. */
function chanceOf(usual: number, count: number | null, total: number): number {
  if (count === null) return usual;
  // The session itself and the candidate are not others.
  const others = Math.max(0, count - 2);
  return clamp((others + edges.usualSketches * usual) / (total + edges.usualSketches), 1e-6, 0.95);
}

function discount(bits: Readonly<Record<string, number[]>>): number {
  let sum = 0;
  for (const kind of Object.values(bits)) {
    kind.sort((a, b) => Math.abs(b) - Math.abs(a));
    kind.forEach((value, rank) => (sum += value * edges.kindDiscount ** rank));
  }
  return sum;
}

function scoreLikeness(posterior: number): number {
  return Math.min(edges.likelyMax, Math.floor(posterior * 100 + 1e-9));
}

export function bandOf(score: number): DuplicateBand {
  if (score >= edges.deviceConfirmedScore) return 'confirmed';
  if (score >= edges.likelyMin) return 'likely';
  return score >= edges.possibleMin ? 'possible' : 'none';
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}
