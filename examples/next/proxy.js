import { NextResponse } from 'next/server';

/** Who this is, as your panel or login knows them. Here it is a random id that the browser keeps. */
export function proxy(request) {
  const response = NextResponse.next();
  if (!request.cookies.has('respondent'))
    response.cookies.set('respondent', crypto.randomUUID(), { httpOnly: true, sameSite: 'lax' });
  return response;
}

export const config = { matcher: '/' };
