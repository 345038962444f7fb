'use client';
/**
 * The React component for Next.js: a client component, which a server component may render.
 */
export { useVerifyHuman, VerifyHuman } from './react.js';
export type * from './react.js';
