/** States of a page without data: loading, empty, failed; and its note if only a part of the data is there. */
import type { ComponentChildren } from 'preact';
import type { Pages, Read } from '../api.js';

export const Loading = ({ what }: { what: string }) => (
  <div class="state" role="status">
    <span class="bar" aria-hidden="true" />
    <p>Loading {what}…</p>
  </div>
);

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="state">
    <h2>{title}</h2>
    <div class="muted">{children}</div>
  </div>
);

export const Failed = ({ message, retry }: { message: string; retry?: () => void }) => (
  <div class="notice bad" role="alert">
    <p>{message}</p>
    {retry !== undefined && (
      <button type="button" onClick={retry}>
        Try again
      </button>
    )}
  </div>
);

/** The end of a list: reads on, while there is more. */
export const Older = ({ of: { readOn, busy, error }, what }: { of: Omit<Pages<unknown>, 'pages'>; what: string }) => (
  <>
    {error !== null && <Failed message={error} />}
    {readOn !== null && (
      <p class="more">
        <button type="button" disabled={busy} onClick={readOn}>
          {busy ? 'Loading…' : `Show older ${what}`}
        </button>
      </p>
    )}
  </>
);

/** A refused role stays refused, and an unknown id unknown. */
const retryOf = ({ error, reload }: Read<unknown>): { readonly retry?: () => void } =>
  error?.status === 403 || error?.status === 404 ? {} : { retry: reload };

/** Shows what was read; an error next to older data says that the data is older. */
export function Shown<T>({
  of,
  what,
  children,
}: {
  of: Read<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}) {
  if (of.data === null)
    return of.error === null ? <Loading what={what} /> : <Failed message={of.error.message} {...retryOf(of)} />;
  return (
    <>
      {of.error !== null && <Failed message={`${of.error.message} This page shows older data.`} {...retryOf(of)} />}
      <div aria-busy={of.loading}>{children(of.data)}</div>
    </>
  );
}
