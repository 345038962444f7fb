/** How a respondent, of whatever kind, goes through the survey. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../workers/seeded-random.js';
import { firstHalf, secondHalf, texts, type Survey } from './survey.js';

export interface Actor {
  /** Clicks a control, by its id. */
  click(id: string): Promise<void>;
  /** Types into a control that `click` was not called for. */
  type(id: string, text: string): Promise<void>;
  /** Brings the second half into view; drivers that scroll by themselves leave it out. */
  scroll?(): Promise<void>;
}

export type Pause = (ms?: number) => Promise<void>;

/** Pauses of a mean that scatter as a reader's do; none for 0. */
export function createPause(meanMs: number, seed = 5): Pause {
  const random = createRandom(seed);
  return (ms = meanMs) => sleep(ms * (0.4 + 1.2 * random()));
}

/** Answers every question, with a pause before each. */
export async function answerSurvey(survey: Survey, actor: Actor, pause: Pause): Promise<void> {
  await survey.loaded();
  const answer = async (id: string) => {
    await pause();
    const text = texts[id];
    await (text === undefined ? actor.click(id) : actor.type(id, text));
  };
  for (const id of firstHalf) await answer(id);
  await actor.scroll?.();
  for (const id of secondHalf) await answer(id);
  await survey.submitted(5_000);
  // The update that the last press sends.
  await sleep(600);
}
