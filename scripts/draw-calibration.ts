/**
 * Draws docs/reference/calibration.svg: which share of the invented month’s honest and fraudulent sessions each blockThreshold would block. The
 * core scores them, so that the picture changes when the model does.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMakeRef } from '../src/crypto/master-key.js';
import { packageRoot } from '../src/package-root.js';
import { inventMonth, recordSession } from '../test/helpers/invented-month.js';
import type { InventedSession } from '../test/helpers/invented-sessions.js';
import { openFacts } from '../src/record/record.js';
import { recordVerdict, scoreFacts } from '../workers/scoring/score.js';
import { blockLevelOf } from '../workers/thresholds/levels.js';

const width = 720;
const height = 320;
const margin = { left: 56, right: 16, top: 34, bottom: 44 };
const plot = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };

const owner = { organizationId: 'org_picture', projectId: 'proj_picture', lineage: 'key_picture' };
const makeRef = createMakeRef(new Uint8Array(32));
const heardOf = inventMonth(Date.UTC(2026, 0, 1)).filter(({ outcomes }) => outcomes.length > 0);
const isReversed = ({ outcomes }: InventedSession): boolean => outcomes.some(({ type }) => type === 'buyer_reject');
const levelOf = (session: InventedSession): number =>
  blockLevelOf(recordVerdict(scoreFacts(openFacts(recordSession(session, owner, makeRef).facts))));
const fraud = heardOf.filter(isReversed).map(levelOf);
const honest = heardOf.filter((session) => !isReversed(session)).map(levelOf);
const shareAt = (levels: readonly number[], edge: number): number =>
  levels.filter((level) => level >= edge).length / levels.length;
const x = (edge: number): number => margin.left + (edge / 100) * plot.width;
const y = (share: number): number => margin.top + (1 - share) * plot.height;
const line = (levels: readonly number[]): string =>
  Array.from({ length: 100 }, (_, index) => index + 1)
    .map((edge, index) => `${index === 0 ? 'M' : 'L'}${x(edge).toFixed(1)} ${y(shareAt(levels, edge)).toFixed(1)}`)
    .join(' ');
const grid = [0, 0.25, 0.5, 0.75, 1].map(
  (share) =>
    `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y(share)}" y2="${y(share)}" stroke="#dde2ea"/><text x="${margin.left - 8}" y="${y(share) + 4}" text-anchor="end">${share * 100}%</text>`,
);
const ticks = [0, 25, 50, 75, 100].map(
  (edge) => `<text x="${x(edge)}" y="${height - margin.bottom + 18}" text-anchor="middle">${edge}</text>`,
);

writeFileSync(
  join(packageRoot, 'docs', 'reference', 'calibration.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#39424e" role="img" aria-label="Share of honest and fraudulent sessions that each blockThreshold would block">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${margin.left}" y="18" font-size="14" font-weight="600">Blocked share by blockThreshold, invented month (${honest.length} honest, ${fraud.length} fraudulent)</text>
${[...grid, ...ticks].join('\n')}
<text x="${margin.left + plot.width / 2}" y="${height - 8}" text-anchor="middle">blockThreshold</text>
<line x1="${x(75)}" x2="${x(75)}" y1="${margin.top}" y2="${height - margin.bottom}" stroke="#8a94a3" stroke-dasharray="4 4"/>
<text x="${x(75) + 6}" y="${margin.top + 12}">default</text>
<path d="${line(fraud)}" fill="none" stroke="#c0392b" stroke-width="2.5"/>
<path d="${line(honest)}" fill="none" stroke="#1f7a4d" stroke-width="2.5"/>
<text x="${x(22)}" y="${y(shareAt(fraud, 22)) - 8}" fill="#c0392b">fraudulent</text>
<text x="${x(22)}" y="${y(shareAt(honest, 22)) - 8}" fill="#1f7a4d">honest</text>
</svg>
`,
);
