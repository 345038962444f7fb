/**
 * The camera stage: the respondent's own picture, mirrored, with a rim that fills as a challenge is answered, a guide that shows what
 * to do, and the same in words, seen and said. Hints wait a moment, so that they do not flicker.
 */
import type { GuideStep, Stage, StageExit } from '../ports.js';
import { createAvatar, type Pose } from './avatar.js';
import { button, html, svg } from './dom.js';
import type { Screen } from './frame.js';
import { fill } from './locale.js';
import { cardOf, goesWithout, titleOf, type Surroundings } from './screens.js';

export interface StageParts {
  readonly stage: Omit<Stage, 'close'>;
  readonly screen: Screen;
  exit(why: StageExit): void;
}

const rimLength = 301.6;
const hintDelayMs = 350;
const lastSecondsMs = 3_000;

export function openStage(around: Surroundings): StageParts {
  const { texts, options } = around;
  const abort = new AbortController();
  const exit = (why: StageExit) => abort.abort(why);
  const video = html('video', {
    playsinline: true,
    autoplay: true,
    'aria-hidden': true,
    disablepictureinpicture: true,
  });
  video.muted = true;
  const rim = svg('circle', { class: 'turn', cx: 50, cy: 50, r: 48 });
  const avatar = createAvatar(options.avatar);
  avatar.pose('rest');
  const view = html(
    'div',
    { class: 'view' },
    html('div', { class: 'lens' }, video),
    svg(
      'svg',
      { class: 'rim', viewBox: '0 0 100 100', 'aria-hidden': true },
      svg('circle', { cx: 50, cy: 50, r: 48 }),
      rim,
    ),
    avatar.element,
  );
  for (const name of ['loadeddata', 'playing']) video.addEventListener(name, () => view.classList.add('live'));
  video.addEventListener('emptied', () => view.classList.remove('live'));
  const title = titleOf(texts.ready);
  const step = html('p', { class: 'muted' }, texts.allow);
  const loaded = html('p', { class: 'muted' });
  const left = html('i');
  const time = html('div', { class: 'time', 'aria-hidden': true, hidden: true }, left);
  let wantsMore = false;
  const more = button(texts.more, 'link', () => {
    wantsMore = true;
    around.frame.announce(title.textContent ?? '');
  });
  more.hidden = true;
  const exits = html(
    'div',
    { class: 'row' },
    more,
    goesWithout(options) && button(texts.decline, 'link', () => exit('without')),
    button(texts.cancel, 'link', () => exit('cancel')),
  );
  const body = html(
    'div',
    { class: 'body centre stage' },
    view,
    html('div', { class: 'guide' }, title, step, loaded, time),
    exits,
  );
  const guide = createGuide(around, { view, rim, title, step, loaded, time, left, more, pose: avatar.pose });
  const takeMoreTime = () => {
    const asked = wantsMore;
    wantsMore = false;
    return asked;
  };
  return {
    stage: { video, guide: guide.take, takeMoreTime, signal: abort.signal },
    screen: { ...cardOf(around, title, body), leave: guide.stop },
    exit,
  };
}

const progressOf = (step: GuideStep): number => {
  if (step.kind === 'loading') return step.bytes === undefined ? 0 : step.bytes.loaded / step.bytes.total;
  return step.kind === 'challenge' ? step.progress : 0;
};

interface GuideParts {
  readonly view: HTMLElement;
  readonly rim: SVGElement;
  readonly title: HTMLElement;
  readonly step: HTMLElement;
  readonly loaded: HTMLElement;
  readonly time: HTMLElement;
  readonly left: HTMLElement;
  readonly more: HTMLElement;
  readonly pose: (pose: Pose) => void;
}

/** Takes steps as often as they come and changes the page only where something changed. */
function createGuide({ texts, frame: { announce, language } }: Surroundings, parts: GuideParts) {
  const unit = { style: 'unit', unit: 'megabyte', minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
  const megabytes = new Intl.NumberFormat(language.tag, unit);
  const inMegabytes = (bytes: number): string => megabytes.format(bytes / 1_000_000);
  let shownKey = '';
  let wantedKey = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let fullMs = 0;
  let shownProgress = 0;
  let isLastSaid = false;

  const instruct = (title: string, step: string, pose: Pose) => {
    parts.title.textContent = title;
    parts.step.textContent = step;
    parts.pose(pose);
    announce(step === '' ? title : `${title}. ${step}`);
  };
  const draw = (step: GuideStep) => {
    const isChallenge = step.kind === 'challenge';
    parts.time.hidden = !isChallenge;
    parts.loaded.hidden = step.kind !== 'loading';
    parts.view.classList.toggle('well', step.kind === 'done');
    if (step.kind === 'challenge') {
      // From here on it stays: what has focus is not taken away.
      parts.more.hidden = false;
      fullMs = step.leftMs;
      isLastSaid = false;
      const place = fill(texts.step, { n: step.index + 1, total: step.total });
      instruct(texts[step.type], place, step.type);
    } else if (step.kind === 'done') instruct(texts.good, '', 'done');
    else if (step.kind === 'loading') instruct(texts.ready, texts.allow, 'rest');
    else instruct(texts[step.kind], '', 'rest');
  };
  const measure = (step: GuideStep) => {
    const progress = Math.min(1, Math.max(0, progressOf(step)));
    if (Math.abs(progress - shownProgress) >= 0.02) {
      shownProgress = progress;
      parts.rim.style.strokeDashoffset = String(rimLength * (1 - progress));
    }
    if (step.kind === 'loading' && step.bytes !== undefined) {
      const { loaded, total } = step.bytes;
      parts.loaded.textContent = loaded < total ? `${inMegabytes(loaded)} / ${inMegabytes(total)}` : '';
    }
    if (step.kind !== 'challenge') return;
    parts.left.style.transform = `scaleX(${Math.max(0, step.leftMs / Math.max(fullMs, 1)).toFixed(2)})`;
    if (step.leftMs > lastSecondsMs) isLastSaid = false;
    if (isLastSaid || step.leftMs > lastSecondsMs || fullMs <= lastSecondsMs) return;
    isLastSaid = true;
    announce(fill(texts.secondsLeft, { n: Math.ceil(step.leftMs / 1_000) }));
  };
  const change = (key: string, step: GuideStep) => {
    shownKey = key;
    draw(step);
  };
  return {
    take(step: GuideStep) {
      const key = step.kind === 'challenge' ? `${step.index}${step.type}` : step.kind;
      if (key !== wantedKey) {
        wantedKey = key;
        clearTimeout(timer);
        const isHint = !['challenge', 'done', 'loading'].includes(step.kind);
        if (key !== shownKey && isHint) timer = setTimeout(() => change(key, step), hintDelayMs);
        else if (key !== shownKey) change(key, step);
      }
      measure(step);
    },
    stop: () => clearTimeout(timer),
  };
}
