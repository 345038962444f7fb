/**
 * Values for pages that enforce trusted types, by a policy that such a page has to allow. Elsewhere a value stays as it is.
 */
type Kind = 'createHTML' | 'createScriptURL';
type Rules = { readonly [Name in Kind]?: (value: string) => string };
interface PolicyFactory {
  createPolicy(name: string, rules: Rules): Required<Rules>;
}

/** Throws if the page's policy does not allow `verifyhuman`, or not twice. */
export const trust = (kind: Kind, value: string): string =>
  (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes
    ?.createPolicy('verifyhuman', {
      [kind]: (given: string) => given,
    })
    [kind](value) ?? value;
