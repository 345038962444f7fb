/** A failed sign-in at the identity provider. In a file of its own: the library of the other one is loaded by those who use it. */

/** Why a sign-in failed; the page has a sentence for each. */
export type SignInFailure = 'unavailable' | 'expired' | 'refused' | 'claims' | 'limited';

export class SignInError extends Error {
  constructor(
    readonly failure: SignInFailure,
    options?: ErrorOptions,
  ) {
    super(failure, options);
  }
}
