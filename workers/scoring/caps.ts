/**
 * Ceilings and floors between the evidence and the score. They move with the block threshold, so a receipt keeps the score
 * before them and the names of those whose condition held; the same function serves scoring and simulation.
 *
 *   uncorroborated  one axis alone speaks: the score stays below the block band
 *   dispositive     a signal that the project lets decide alone: the score reaches the block band
 *   policy:N        project policy weighed in (a missing probe, a new respondent); N is the score without it.
 *                   Policy leads below the block band at most, and never lowers what the evidence alone says.
 */
export type Cap = 'uncorroborated' | 'dispositive' | `policy:${number}`;

/** The highest integer score below the block band; 0 where the band begins at 0. */
export function ceilingOf(blockThreshold: number): number {
  return Math.max(0, Math.ceil(blockThreshold) - 1);
}

/** The score that `uncapped` leads to under a block threshold. Unknown names are ignored. */
export function applyCaps(uncapped: number, caps: readonly string[], blockThreshold: number): number {
  const ceiling = ceilingOf(blockThreshold);
  const policy = caps.find((cap) => cap.startsWith('policy:'));
  const evidence = policy === undefined ? uncapped : Number(policy.slice('policy:'.length));
  const lowered = caps.includes('uncorroborated') ? Math.min(evidence, ceiling) : evidence;
  const capped = caps.includes('dispositive') ? Math.max(evidence, Math.ceil(blockThreshold)) : lowered;
  return policy === undefined ? capped : Math.max(capped, Math.min(uncapped, ceiling));
}
