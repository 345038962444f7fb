/** An explanation as text for a terminal, and the comparison of a recorded verdict with the present model's. Pure. */
import type {
  AxisSum,
  ComparedVerdict,
  ExplainedFinding,
  Explanation,
  ScoreBreakdown,
} from '../contract/explanation.js';

export function renderExplanation(explanation: Explanation): string {
  const { receiptId, sessionId, organizationId, projectId, scoredAt, authentic, recorded, present } = explanation;
  return [
    `Receipt   ${receiptId}, scored at ${scoredAt}`,
    `Session   ${JSON.stringify(sessionId)} of ${projectId ?? organizationId}`,
    `Record    ${authentic ? 'matches its signature' : 'DOES NOT MATCH ITS SIGNATURE'}${recorded === null ? '; not in the database yet' : ''}`,
    '',
    ...renderBreakdown(present),
    '',
    ...renderDifferences(recorded, present.verdict),
    '',
  ].join('\n');
}

/** Against which the recorded verdict stands or falls. */
export function renderReplay(recorded: ComparedVerdict | null, present: ScoreBreakdown): string {
  return [...renderDifferences(recorded, present.verdict), '', ...renderBreakdown(present), ''].join('\n');
}

function renderBreakdown({
  decision,
  summary,
  findings,
  axes,
  favour,
  axisMax,
  caps,
  verdict,
}: ScoreBreakdown): string[] {
  return [
    `Decision  ${decision}`,
    `Summary   ${summary}`,
    `Duplicate ${verdict.duplicateBand}; not part of the score.`,
    '',
    'Findings, in logits (weight as raised, share left by multiplier and discounts, what counted):',
    ...table([['axis', 'finding', 'class', 'weight', 'share', 'applied', 'placed'], ...findings.map(rowOf)]),
    '',
    `Axes, in logits (what speaks against; an axis counts ${axisMax} at most):`,
    ...table([['axis', 'raised', 'discounted', 'counted', ''], ...axes.map((sums) => rowOfAxis(sums, axisMax))]),
    `In favor ${signed(favour)}`,
    '',
    `Score before caps ${verdict.uncapped}, after ${verdict.score}.${caps.length === 0 ? ' No cap applied.' : ''}`,
    ...caps.map((cap) => `  ${cap}`),
  ];
}

function rowOf({ axis, code, class: kind, weight, discounted, applied, list, strength }: ExplainedFinding): string[] {
  const share = weight === 0 ? '' : `${Math.round((100 * discounted) / weight)}%`;
  return [axis, code, kind, signed(weight), share, signed(applied), list === 'notes' ? list : `${list}, ${strength}`];
}

function rowOfAxis({ axis, raised, discounted, counted }: AxisSum, axisMax: number): string[] {
  return [axis, signed(raised), signed(discounted), signed(counted), discounted > axisMax ? 'capped' : ''];
}

function renderDifferences(recorded: ComparedVerdict | null, present: ComparedVerdict): string[] {
  const model = `the present model (${present.modelVersion})`;
  if (recorded === null) return [`The original verdict is not recorded; this is the verdict of ${model}.`];
  const differences = compareVerdicts(recorded, present);
  const then =
    recorded.modelVersion === present.modelVersion
      ? 'the model that scored is the present one'
      : `the model that scored was ${recorded.modelVersion}`;
  if (differences.length === 0) return [`Nothing differs under ${model}; ${then}.`];
  return [`Under ${model} differs (${then}):`, ...differences.map((difference) => `  ${difference}`)];
}

/** One line for each difference, recorded first; none where both verdicts say the same. */
export function compareVerdicts(recorded: ComparedVerdict, present: ComparedVerdict): string[] {
  const plain = (['score', 'uncapped', 'recommendation', 'verdictClass', 'duplicateBand'] as const)
    .filter((name) => recorded[name] !== present[name])
    .map((name) => `${name}: ${recorded[name]} -> ${present[name]}`);
  const caps = [recorded, present].map((verdict) => [...verdict.caps].sort().join(', ') || 'none');
  const before = placesOf(recorded);
  const after = placesOf(present);
  const codes = [...new Set([...before.keys(), ...after.keys()])].sort();
  return [
    ...plain,
    ...(caps[0] === caps[1] ? [] : [`caps: ${caps.join(' -> ')}`]),
    ...codes
      .filter((code) => before.get(code) !== after.get(code))
      .map((code) => `${code}: ${before.get(code) ?? 'not found'} -> ${after.get(code) ?? 'not found'}`),
  ];
}

function placesOf({ classification }: ComparedVerdict): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { code, list, strength } of classification) {
    const place = list === 'notes' ? list : `${list}, ${strength}`;
    const known = places.get(code);
    places.set(code, known === undefined ? place : `${known} and ${place}`);
  }
  return places;
}

function signed(logits: number): string {
  const text = logits.toFixed(2);
  if (Number(text) === 0) return '0';
  return logits > 0 ? `+${text}` : text;
}

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}
