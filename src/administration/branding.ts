/**
 * A project’s branding as respondents see it.
 */
import { brandingTiers, tiers, type Branding, type Tier } from '../contract/project-parts.js';

/** What of the stored branding the tier unlocks today; null where there is nothing to show. */
export function visibleBranding(branding: Branding | undefined, tier: Tier): Branding | null {
  const { enabled = true, ...shown } = branding ?? { enabled: false };
  const unlocked = Object.entries(shown).filter(
    ([name]) => tiers.indexOf(tier) >= tiers.indexOf(brandingTiers[name as keyof Branding] ?? 'free'),
  );
  return enabled && unlocked.length > 0 ? { enabled, ...Object.fromEntries(unlocked) } : null;
}
