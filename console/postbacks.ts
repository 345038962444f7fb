/** Whether the postbacks of the organization’s suppliers go out. */
import type { PostbackHealth, PostbackHealthPage } from '../src/contract/postback-health.js';
import { call, query, useCall, type Read } from './api.js';

export type SupplierPostbacks = PostbackHealthPage['suppliers'];

/** Reads all pages, which the most suppliers of an organization bound. null reads nothing. */
export const usePostbacks = (key: string | null): Read<SupplierPostbacks> =>
  useCall(key, async (signal) => {
    const all: SupplierPostbacks[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: PostbackHealthPage = await call(`/postbacks${query({ limit: 200, cursor })}`, {
        ...{ signal, of: 'audience' },
      });
      all.push(page.suppliers);
      cursor = page.nextCursor;
    }
    return all.flat();
  });

export const countFailing = ({ retrying, exhausted }: PostbackHealth): number => retrying + exhausted;
