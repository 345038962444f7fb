/**
 * A session’s metadata: free of the service’s own names, and on retries with those of the chain.
 */
import { chainNames, type Metadata } from '../../contract/session.js';

const reserved = /^vh_/;

/** The caller’s own entries. */
export const ownMetadata = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !reserved.test(name)));

/** The metadata of a retry: the caller’s, and which chain it belongs to. */
export const chainMetadata = (metadata: Metadata, rootSessionId: string, retryCount: number): Metadata => ({
  ...ownMetadata(metadata),
  [chainNames.root]: rootSessionId,
  [chainNames.count]: retryCount,
});
