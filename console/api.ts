/** Calls of the public API with the session’s token, and the hooks with which pages read. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { endSession, identity } from './session.js';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** The audience API has another address. */
  readonly of?: 'audience' | undefined;
}

export async function call<T>(path: string, { method = 'GET', body, signal, of }: CallOptions = {}): Promise<T> {
  const { token, baseUrl, audienceUrl } = await identity();
  // The page is served by the service itself, under whatever name it was opened.
  const root = of === 'audience' ? audienceUrl : new URL(baseUrl).pathname;
  const answer = await fetch(root + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      // Evidence as well as the page around it is in one language.
      'accept-language': 'en',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    const { origin } = new URL(baseUrl);
    const message =
      of === 'audience' && origin !== location.origin
        ? `Studies are read from ${origin} alone. Open the console there.`
        : 'The service cannot be reached. Check your connection and try again.';
    throw new ApiError(0, 'NETWORK', message);
  });
  const text = await answer.text();
  const reply = (text === '' ? null : JSON.parse(text)) as T & { code: string; message: string };
  if (answer.ok) return reply;
  if (answer.status === 401) endSession();
  throw new ApiError(answer.status, reply.code, reply.message);
}

export interface Read<T> {
  /** The latest data; it stays during the next read. */
  readonly data: T | null;
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

/** Reads a path, again whenever it changes. null reads nothing. */
export function useRead<T>(path: string | null, of?: 'audience'): Read<T> {
  return useCall<T>(path, (signal) => call<T>(path ?? '', { signal, of }));
}

/** Runs a call, again whenever its key changes. A key of null runs nothing. */
export function useCall<T>(key: string | null, run: (signal: AbortSignal) => Promise<T>): Read<T> {
  const [state, setState] = useState<Omit<Read<T>, 'reload'>>({ data: null, error: null, loading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    setState(({ data }) => ({ data, error: null, loading: true }));
    run(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ data, error: null, loading: false }),
      (error: ApiError) => !stop.signal.aborted && setState(({ data }) => ({ data, error, loading: false })),
    );
    return () => stop.abort();
  }, [key, round]);
  return { ...state, reload: useCallback(() => setRound((each) => each + 1), []) };
}

interface Page {
  readonly nextCursor: string | null;
}

export interface Pages<T> {
  readonly pages: readonly T[];
  /** Reads the next page; null after the last one. */
  readonly readOn: (() => void) | null;
  readonly busy: boolean;
  readonly error: string | null;
}

/** The pages of a list, of which the first was read. */
export function usePages<T extends Page>(path: string, first: T, of?: 'audience'): Pages<T> {
  const [more, setMore] = useState<readonly T[]>([]);
  const [state, setState] = useState<{ busy: boolean; error: string | null }>({ busy: false, error: null });
  useEffect(() => setMore([]), [first]);
  const pages = [first, ...more];
  const cursor = pages.at(-1)?.nextCursor ?? null;
  const readOn = async (): Promise<void> => {
    setState({ busy: true, error: null });
    try {
      const next = await call<T>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor ?? '')}`, {
        of,
      });
      setMore([...more, next]);
      setState({ busy: false, error: null });
    } catch (error) {
      setState({ busy: false, error: (error as Error).message });
    }
  };
  return { pages, readOn: cursor === null ? null : () => void readOn(), ...state };
}

/** Query string of what is set. */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const set = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`;
}
