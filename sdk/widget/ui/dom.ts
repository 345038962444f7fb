/** Makes elements. Text is set as text and attributes by name, so that nothing given is ever read as markup. */

type Attributes = Readonly<Record<string, string | number | boolean>>;
type Child = Node | string | null | false;

const svgNamespace = 'http://www.w3.org/2000/svg';

function complete<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) element.setAttribute(name, value === true ? '' : String(value));
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false));
  return element;
}

/** An element of HTML; attributes that are false are left out. */
export const html = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] => complete(document.createElement(name), attributes, children);

/** An element of SVG. */
export const svg = <Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] => complete(document.createElementNS(svgNamespace, name), attributes, children);

/** A link that leaves the page open. */
export const linkOf = (href: string, text: string): HTMLElement =>
  html('a', { href, target: '_blank', rel: 'noopener noreferrer' }, text);
export const mailOf = (address: string, text: string): HTMLElement =>
  html('a', { href: `mailto:${address}`, title: address }, text);

/** A button that says `label` and calls `onPress` with the event's own isTrusted. */
export function button(label: string, kind: 'main' | 'plain' | 'link', onPress: (trusted: boolean) => void) {
  const element = html('button', { type: 'button', class: `button ${kind}` }, label);
  element.addEventListener('click', (event) => onPress(event.isTrusted));
  return element;
}
