/**
 * The older widget that asks no service: a checkbox or slider, and the page's own estimate. It proves nothing to a backend.
 */
import type { LocalWidget, LocalWidgetConfig, LocalWidgetResult } from './api.js';
import { watchDevice } from './device.js';
import { invalidOption } from './errors.js';
import { estimate, passiveGate } from './estimate.js';
import { reportFailure } from './page-console.js';
import type { CreateView, View } from './ports.js';
import { english, loadLanguage, type LoadTexts } from './ui/locale.js';

export function createLocalWidget(
  { createView, loadTexts }: { readonly createView: CreateView; readonly loadTexts: LoadTexts },
  config: LocalWidgetConfig,
): LocalWidget {
  const host = typeof config.container === 'string' ? document.querySelector(config.container) : config.container;
  if (host === null) throw invalidOption('The container does not exist. Pass an element of the page.');
  const device = watchDevice();
  const locale = config.locale ?? (document.documentElement.lang || navigator.language);
  let view: View | null = null;
  let isDestroyed = false;

  const draw = async (): Promise<View> => {
    const language = (await loadLanguage(locale, loadTexts)) ?? english;
    const drawn = createView({
      host,
      mode: 'captcha',
      theme: config.widgetTheme ?? 'auto',
      style: 'classic',
      avatar: 'friendly',
      isTest: false,
      interaction: config.interaction ?? 'checkbox',
      language,
      branding: null,
      disclosure: { mode: 'NEUTRAL', text: null },
      consent: null,
      demands: { minimumAssurance: 'device_only', evidenceFrames: 'off' },
    });
    if (isDestroyed) drawn.close();
    return (view = drawn);
  };
  const judge = async (): Promise<LocalWidgetResult> => {
    const drawn = await draw();
    const { trusted } = await drawn.awaitStart();
    drawn.showProgress('checking');
    const facts = await device.read();
    device.stop();
    const { signals, confidence } = estimate(facts);
    const result: LocalWidgetResult = {
      success: trusted && confidence >= passiveGate,
      confidence,
      behavioralSignals: signals,
      deviceId: facts.groups.ids?.token ?? '',
      timestamp: Date.now(),
    };
    void drawn.showOutcome({ status: result.success ? 'pass' : 'fail', code: null, canRetry: false });
    try {
      config.onComplete?.(result);
    } catch (error) {
      reportFailure('onComplete', error);
    }
    return result;
  };
  return {
    result: judge(),
    destroy() {
      isDestroyed = true;
      device.stop();
      view?.close();
    },
  };
}
