import { type SignInFault, signInFaults } from '../../core/sign-in/sign-in-fault.ts'

/** A failed single sign-on; the browser only gets the kind of fault. */
export class SignInRefusal extends Error {
  readonly fault: SignInFault

  /** @param cause The reason for the log; never sent to clients. */
  constructor(fault: SignInFault, cause?: unknown) {
    super(signInFaults[fault], cause === undefined ? undefined : { cause })
    this.name = 'SignInRefusal'
    this.fault = fault
  }
}
