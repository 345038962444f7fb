import type { Branding } from '../../contract/project-parts.js';
import { controllerOf } from '../consent-terms.js';
import type { StoredOrganization } from '../organization-store.js';
import { visibleBranding, type StoredProject } from '../project-store.js';

/** The part of a project that its pages show, with the privacy page that the consent of the widget names. */
export function pageBranding(project: StoredProject, organization: StoredOrganization): Branding | null {
  const branding = visibleBranding(project.fields.branding, organization.tier);
  const { privacyUrl } = controllerOf(project, organization);
  return privacyUrl === null ? branding : { ...branding, privacyUrl };
}
