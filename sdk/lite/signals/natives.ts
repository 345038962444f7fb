/**
 * Whether functions of the browser itself were replaced. A proxy lets its prototype become a cycle,
 * a real function refuses; a getter written in script has the wrong name or answers any receiver.
 */
import type { Reader } from '../types.js';

const methods =
  'Permissions.query WebGLRenderingContext.getParameter WebGL2RenderingContext.getParameter HTMLCanvasElement.toDataURL CanvasRenderingContext2D.getImageData HTMLMediaElement.canPlayType AudioBuffer.getChannelData NavigatorUAData.getHighEntropyValues Date.getTimezoneOffset Function.toString';

type Callable = (...values: unknown[]) => unknown;

/** A function handed out by the browser never becomes its own ancestor. */
function isProxy(native: Callable): boolean {
  const before: unknown = Object.getPrototypeOf(native);
  try {
    Object.setPrototypeOf(native, Object.create(native) as object);
    return true;
  } catch {
    return false;
  } finally {
    // A proxy has passed the change on to its target.
    Object.setPrototypeOf(native, before as object);
  }
}

function isReplaced(native: Callable, name: string): boolean {
  // Engines put "get " before a getter's name, or do not.
  return !native.name.endsWith(name) || 'prototype' in native || isProxy(native);
}

function answersAnyone(getter: Callable): boolean {
  try {
    getter.call(Object.create(null));
    return true;
  } catch {
    return false;
  }
}

/** Reads the replaced natives, and the properties that were set on the navigator itself. */
export const readNatives: Reader<'lies'> = () => {
  const scope = window as unknown as Record<string, { prototype: object } | undefined>;
  const lies = Object.getOwnPropertyNames(navigator).map((name) => 'own.' + name);
  const note = (name: string) => lies.push('proxy.' + name);
  for (const type of ['Navigator', 'Screen', 'HTMLIFrameElement']) {
    for (const [name, { get }] of Object.entries(
      Object.getOwnPropertyDescriptors(scope[type]!.prototype) as Record<string, PropertyDescriptor>,
    )) {
      if (get && (isReplaced(get as Callable, name) || answersAnyone(get as Callable))) note(name);
    }
  }
  for (const path of methods.split(' ')) {
    const [type, name] = path.split('.') as [string, string];
    const native = (scope[type]?.prototype as Record<string, Callable> | undefined)?.[name];
    if (native && isReplaced(native, name)) note(name);
  }
  return lies.slice(0, 20).map((lie) => lie.slice(0, 64));
};
