/**
 * The mark of an entry link whose page that checks the browser was shown: it holds once, in the browser that saw the page. A link that somebody
 * copied or loads again with its mark is checked again. Without cookies the two look the same, so there a mark holds until it is old.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findCookie, formatCookie, type Cookie } from '../kernel/cookies.js';

const markName = 'vh_checked';
const markForm = /^[0-9]{1,11}$/;
/** Longer than a page takes to load and to check. */
const markSeconds = 300;

const cookieOf = (mark: string, isSecure: boolean): Cookie => ({
  ...{ name: `vh_check_${mark}`, path: '/', sameSite: 'Lax', isSecure },
});

/** The address of the same link with a new mark, which the browser keeps: relative, so that no proxy’s path is lost. */
export function markShown(
  { url }: FastifyRequest,
  reply: FastifyReply,
  { nowMs, isSecure }: { readonly nowMs: number; readonly isSecure: boolean },
): string {
  const mark = String(Math.floor(nowMs / 1_000));
  void reply.header('set-cookie', formatCookie(cookieOf(mark, isSecure), '1', markSeconds));
  const values = url.slice(url.indexOf('?') + 1).split('&');
  return `?${[...values.filter((value) => !new URLSearchParams(value).has(markName)), `${markName}=${mark}`].join('&')}`;
}

/** Whether the page was shown just now, and the browser kept the cookie from it; a mark is taken back. */
export function takeMark(
  mark: string | undefined,
  hasCookies: boolean,
  {
    request,
    reply,
    nowMs,
    isSecure,
  }: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly nowMs: number;
    readonly isSecure: boolean;
  },
): 'new' | 'checked' | 'without cookies' {
  if (mark === undefined || !markForm.test(mark)) return 'new';
  if (!hasCookies) return Math.abs(nowMs / 1_000 - Number(mark)) < markSeconds ? 'without cookies' : 'new';
  const cookie = cookieOf(mark, isSecure);
  if (findCookie(cookie.name, request.headers.cookie) === null) return 'new';
  void reply.header('set-cookie', formatCookie(cookie, '', 0));
  return 'checked';
}
