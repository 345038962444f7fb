/**
 * `verifyhuman/node`: what a backend needs of the service. Needs nothing but Node.js 20.19; importing it starts nothing.
 */
export type * from './api.js';
export { createClient } from './client.js';
export { decide } from './decide.js';
export { VerifyHumanError, type ClientErrorCode } from './errors.js';
export { fraudGate, fraudGatePlugin, type FraudGateOptions, type GatedSession, type GateRequest } from './gate.js';
export { hashIdentity, ipPrefix } from './identity.js';
export type * from './reports.js';
export { isPass } from './tokens.js';
export { verifyWebhook, type VerifyWebhookOptions, type WebhookVerification } from '../../src/receiver/verify.js';
