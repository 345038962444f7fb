/**
 * People whom other detectors take for programs, each with a browser that nothing drives. The page measures their browser; how they act is the
 * sample person's. None of them may reach review.
 */
import t from 'tap';
import { calibrationDefaults } from '../../../src/contract/calibration.js';
import { readPageHeaders } from '../../../src/net/page-headers.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { hasChromium, hasDisplayTools, launchPlain, startDisplay } from '../../helpers/browser.js';
import { cleanFacts, humanBody } from '../../helpers/facts.js';
import { bundle, defaultAttributes, scriptPath } from '../../helpers/probe-script.js';
import { joinMessages } from '../../helpers/probe-findings.js';
import { startStaticSite } from '../../helpers/static-site.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium, Xvfb or xdotool is not installed';
/** A machine that others use takes its time. */
t.setTimeout(280_000);

const script = `<script src="${scriptPath}" ${defaultAttributes}></script>`;
const page = (before: string, after = '') =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Survey</title>${before}${script}${after}</html>`;

/** Other noise each time, never the same by chance. */
const noise = `<script>
  let drawings = 0;
  const write = HTMLCanvasElement.prototype.toDataURL;
  HTMLCanvasElement.prototype.toDataURL = function (...as) {
    const pen = this.getContext('2d');
    if (pen) { pen.fillStyle = 'rgb(0 0 ' + (drawings++ % 256) + ')'; pen.fillRect(0, 0, 1, 1); }
    return write.apply(this, as);
  };</script>`;

interface Complaint {
  readonly html: string;
  readonly args?: string[];
  readonly preferences?: object;
  readonly hasOtherTab?: boolean;
  /** The message shows that the complaint is what was tried. */
  readonly check?: (body: ReturnType<typeof humanBody>) => boolean;
}

const complaints: Readonly<Record<string, Complaint>> = {
  'an untouched browser': { html: page('') },
  'the PDF viewer is switched off': {
    html: page(''),
    preferences: { plugins: { always_open_pdf_externally: true } },
    check: ({ env }) => env?.pdf === false && env.plugins === 0,
  },
  'a wallet leaves window.phantom': {
    html: page('<script>window.phantom = { solana: { isPhantom: true } }; window.ethereum = {};</script>'),
  },
  'developer tools are open': {
    html: page(`<script>setInterval(() => location.reload(), 4_000)</script>`),
    args: ['--auto-open-devtools-for-tabs'],
    check: ({ auto }) => auto?.debugStack === true,
  },
  'a privacy extension adds noise to drawings': { html: page(noise), check: ({ gfx }) => gfx?.stable === false },
  'two copies of the probe in one page': { html: page('', script) },
  'a second tab has another session': { html: page(''), hasOtherTab: true },
};

for (const [name, { html, args = [], preferences, hasOtherTab = false, check = () => true }] of Object.entries(
  complaints,
))
  void t.test(`${name}: below review`, { skip, timeout: 120_000 }, async (t) => {
    const site = await startStaticSite({
      files: {
        '/': html,
        '/other': page('').replace('session-1', 'session-2'),
        [scriptPath]: bundle(),
        '/favicon.ico': '',
      },
    });
    t.teardown(() => site.close());
    const display = await startDisplay();
    t.teardown(() => display.close());
    const browser = await launchPlain(site.origin, {
      display: display.name,
      args: hasOtherTab ? [...args, `${site.origin}/other`] : args,
      ...(preferences && { preferences }),
    });
    t.teardown(() => browser.close());
    const sessions = () => new Set(site.probes.map(({ body }) => body.sessionId));
    const { headers, body: found } = await site.waitForProbe(
      'the load messages with the slow signals',
      ({ body }) =>
        body.phase === 'load' &&
        body.gfx?.canvas !== undefined &&
        check(body) &&
        sessions().size === (hasOtherTab ? 2 : 1),
      100_000,
    );
    for (const session of sessions()) {
      const joined = joinMessages(
        site.probes
          .map(({ body }) => body)
          .filter(
            ({ sessionId, nonce }) => sessionId === session && (session !== found.sessionId || nonce === found.nonce),
          ),
      );
      if (!joined) throw new Error(`no load message of ${session} came`);
      // The X server counts time in whole milliseconds.
      const { beh, up, at } = humanBody();
      const body = { ...joined, up, at, beh: { ...beh, fineTimes: 0 } };
      const transport = readPageHeaders(headers);
      const { score, evidence } = scoreFacts(
        cleanFacts({ userAgent: transport.userAgent, probe: { body, transport } }),
      ).reply;
      t.ok(score < calibrationDefaults.reviewLow, `${score}: ${JSON.stringify(evidence.against)}`);
    }
  });
