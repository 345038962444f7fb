/**
 * The older widget that asks no service: a checkbox or slider, and the page's own estimate. It proves nothing to a backend.
 */
import type { LocalWidget, LocalWidgetConfig, LocalWidgetResult } from './api.js';
import { watchDevice } from './device.js';
import { invalidOption } from './errors.js';
import { estimate, passiveGate } from './estimate.js';
import { reportFailure } from './page-console.js';
import type { CreateView } from './ports.js';

export function createLocalWidget(createView: CreateView, config: LocalWidgetConfig): LocalWidget {
  const host = typeof config.container === 'string' ? document.querySelector(config.container) : config.container;
  if (host === null) throw invalidOption('There is no such container.');
  const device = watchDevice();
  const view = createView({
    host,
    mode: 'captcha',
    theme: config.widgetTheme ?? 'auto',
    style: 'classic',
    avatar: 'friendly',
    interaction: config.interaction ?? 'checkbox',
    locale: config.locale ?? (document.documentElement.lang || navigator.language),
    branding: null,
    disclosure: { mode: 'NEUTRAL', text: null },
    withoutCameraAllowed: true,
  });

  const judge = async (): Promise<LocalWidgetResult> => {
    const { trusted } = await view.awaitStart();
    view.showProgress('checking');
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
    void view.showOutcome({ status: result.success ? 'pass' : 'fail', code: null, canRetry: false });
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
      device.stop();
      view.close();
    },
  };
}
