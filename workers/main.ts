/** Entry of a pool thread: runs each task of a packed batch through the pure core. A task that throws fails alone. */
import { pack, unpack } from 'msgpackr';
import { move } from 'piscina';
import type { PoolAnswer, PoolResults, PoolTask } from '../src/contract/pool.js';
import { joinParts } from '../src/record/codec.js';
import { openFacts } from '../src/record/record.js';
import { createLookMatch } from './duplicates/linkage.js';
import { marksOfMovement } from './duplicates/movement.js';
import { bandsOf, sketchDevice } from './duplicates/sketch.js';
import { renderEvidence } from './evidence/explain.js';
import { findFlags } from './monitoring/flags.js';
import { findRiskIndicators, judgeScore } from './scoring/score.js';
import { modelVersion } from './scoring/rule-set.js';
import { countLevels, decide } from './thresholds/levels.js';
import { fitThresholds } from './thresholds/fit.js';
import { offerRecalibration } from './thresholds/recalibration.js';
import { judgeFairness } from './thresholds/fairness.js';
import { reportCalibration, reportSources } from './thresholds/reports.js';
import { compareShadow, judgeShadow } from './thresholds/shadow.js';
import { markCapture } from './verification/marks.js';
import { judgeSession } from './verification/verdict.js';

export default function runBatch(message: Uint8Array): unknown {
  const tasks = unpack(message) as readonly PoolTask[];
  const answers = new Uint8Array(pack(tasks.map(answer)));
  return move(answers.buffer);
}

function answer(task: PoolTask): PoolAnswer {
  try {
    return { ok: true, value: run(task) };
  } catch (error) {
    const { code = 'INTERNAL', message, stack } = error as Error & { code?: string };
    return { ok: false, code, message, internal: stack ?? message };
  }
}

/** Throws what the core throws. */
export function run(task: PoolTask): PoolResults[PoolTask['kind']] {
  switch (task.kind) {
    case 'score':
      return judgeScore(openFacts(joinParts(...task.facts)), task.replayed === true);
    case 'evidence':
      return renderEvidence(task.facts instanceof Uint8Array ? openFacts(task.facts) : task.facts, task.language);
    case 'sketch': {
      const sketch = sketchDevice(task.body, task.userAgent);
      return { sketch, bands: bandsOf(sketch) };
    }
    case 'message': {
      const sketch = sketchDevice(task.body, task.transport.userAgent);
      const indicators = findRiskIndicators(task);
      return { sketch, bands: bandsOf(sketch), indicators, movement: marksOfMovement(task.body) };
    }
    case 'decide':
      return task.inputs.map((inputs) => decide(inputs, task.thresholds));
    case 'levels':
      return countLevels(task.cells);
    case 'fit':
      return fitThresholds(task.subject);
    case 'sources':
      return reportSources(task.cells);
    case 'calibration':
      return { ...reportCalibration(task.cells), recalibration: offerRecalibration(task.cells) };
    case 'fairness':
      return judgeFairness(task.honest);
    case 'shadow':
      return task.sessions.map(({ facts, calibration }) => judgeShadow(openFacts(facts), calibration));
    case 'compare':
      return compareShadow(task.sessions);
    case 'marks':
      return markCapture(task.envelope);
    case 'verdict':
      return judgeSession(task.facts);
    case 'likeness':
      // How common each part is in the project is not known here, so likeness never says more than that it is likely.
      return { probabilities: task.candidates.map(createLookMatch(task.own, null, task.nowMs)) };
    case 'watch':
      return findFlags(task.observation, task.monitoring);
    case 'model':
      return { modelVersion };
  }
}
