/**
 * Readers of the simple kinds of values of settings. Each throws what is wrong with the value, to go behind the setting's name.
 */
export const fail = (problem: string): never => {
  throw new Error(problem);
};

export const text = (text: string): string => text.trim() || fail('is empty; leave it out instead');

export const integer = (minimum: number, maximum: number) => (text: string) => {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= minimum && value <= maximum
    ? value
    : fail(`must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
};

export const oneOf =
  <const V extends readonly string[]>(values: V) =>
  (text: string): V[number] =>
    values.find((value) => value === text) ?? fail(`must be one of ${values.join(', ')}, not "${text}"`);

export const someOf =
  <const V extends readonly string[]>(values: V) =>
  (text: string): readonly V[number][] =>
    text.split(',').map((part) => oneOf(values)(part.trim()));

export const onOff = (text: string): boolean => {
  const lower = text.toLowerCase();
  if (['on', 'true', '1'].includes(lower)) return true;
  return ['off', 'false', '0'].includes(lower) ? false : fail(`must be on or off (true, false, 1, 0), not "${text}"`);
};

export const url = (text: string): string =>
  URL.canParse(text) ? text.replace(/\/+$/, '') : fail('must be an absolute URL');
