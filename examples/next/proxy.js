import { NextResponse } from 'next/server';

/** Identifies the respondent, as your panel or login does. Here it is a random id that the browser keeps. */
export function proxy(request) {
  const response = NextResponse.next();
  if (!request.cookies.has('respondent'))
    response.cookies.set('respondent', crypto.randomUUID(), { httpOnly: true, sameSite: 'lax' });
  return response;
}

export const config = { matcher: '/' };
