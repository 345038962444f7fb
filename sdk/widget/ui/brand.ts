/**
 * Shows a project's branding. Everything is checked again here, as if the service had not: an address that is not of the
 * web, a colour that is not hex or a font that is more than a name has no effect.
 */
import type { Branding } from '../../../src/contract/project-parts.js';

export interface Brand {
  readonly companyName: string | null;
  readonly primaryColor?: string;
  readonly backgroundColor?: string;
  readonly fontFamily: string | null;
  readonly privacyUrl: string | null;
  readonly supportEmail: string | null;
  readonly logoUrl: string | null;
  readonly hidePoweredBy: boolean;
}

const fontPattern = /^[\p{L}0-9 ,'"_-]{1,200}$/u;
const emailPattern = /^[^\s@<>?&,;:]{1,64}@[^\s@<>?&,;:]{1,190}$/;

/** The privacy page is the one that the consent names, which knows the organization's as well. */
export function readBrand(branding: Branding | null, consent: { readonly privacyUrl: string | null } | null): Brand {
  const given: Branding = branding === null || branding.enabled === false ? {} : branding;
  return {
    companyName: readText(given.companyName),
    ...(given.primaryColor === undefined ? {} : { primaryColor: given.primaryColor }),
    ...(given.backgroundColor === undefined ? {} : { backgroundColor: given.backgroundColor }),
    fontFamily: readPattern(given.fontFamily, fontPattern),
    privacyUrl: readUrl(consent?.privacyUrl ?? given.privacyUrl),
    supportEmail: readPattern(given.supportEmail, emailPattern),
    logoUrl: readUrl(given.logoUrl),
    hidePoweredBy: given.hidePoweredBy === true,
  };
}

const readText = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 100) : null;

const readPattern = (value: unknown, pattern: RegExp): string | null =>
  typeof value === 'string' && pattern.test(value) ? value : null;

/** An absolute http(s) address, written as the browser reads it; null for anything else. */
function readUrl(value: unknown): string | null {
  try {
    const url = new URL(String(value));
    return /^https?:$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
