/** Request examples of the API document. They work as they stand with the demo organization’s keys. */
import type { StudyCreation, StudyPatch } from '../contract/study.js';
import type { Disputes } from '../contract/study-disputes.js';
import type { StudyReturn } from '../contract/study-returns.js';
import type { Invitations, SupplierChange, SupplierCreation } from '../contract/supplier.js';

export const creationExample: StudyCreation = {
  name: 'Coffee at home, autumn wave',
  survey_url: 'https://survey.example.com/coffee',
  audience: {
    countries: ['DE', 'AT'],
    language: 'de',
    sample_size: 500,
    quotas: [
      { name: 'Austria', country: 'AT', limit: 100 },
      { name: 'Women under 40', gender: 'female', ageMax: 39, limit: 150 },
    ],
  },
  verification: { service_check: false, minimum_quality: 'standard' },
};

export const patchExample: StudyPatch = { audience: { sample_size: 600 } };

export const supplierExample: SupplierCreation = {
  name: 'North Panel',
  sourceId: 'north-panel',
  redirects: {
    complete: 'https://panel.example.com/end?status=1&id={rid}&sig={sig}',
    screened_out: 'https://panel.example.com/end?status=2&id={rid}&sig={sig}',
    full: 'https://panel.example.com/end?status=3&id={rid}&sig={sig}',
  },
  postbackUrl: 'https://panel.example.com/postback?place={place}',
};

export const supplierPatchExample: SupplierChange = {
  redirects: { quality: 'https://panel.example.com/end?status=4' },
};

export const invitationsExample: Invitations = {
  supplierId: 'sup_019a2f3c5d6e7f8091a2b3c4d5e6f708',
  respondents: [
    { rid: 'r-1001', country: 'DE', age: 34, gender: 'female' },
    { rid: 'r-1002', country: 'AT' },
  ],
  expiresInDays: 14,
};

export const linkCheckExample = {
  url: 'http://127.0.0.1:3001/v1/enter/study_019a2f3c5d6e7f8091a2b3c4d5e6f708?rid=r-1001&src=north-panel',
};

export const returnExample: StudyReturn = { place: 'plc_019a2f3c5d6e7f8091a2b3c4d5e6f708', status: 'complete' };

export const disputesExample: Disputes = {
  rows: [
    { rid: 'r-1001', sourceId: 'north-panel', reason: 'quality', note: 'Straight-lined every grid.' },
    { place: 'plc_019a2f3c5d6e7f8091a2b3c4d5e6f708', reason: 'fraud' },
  ],
};
