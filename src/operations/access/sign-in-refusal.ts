import { type SignInFault, signInFaults } from '../../core/sign-in/sign-in-fault.ts'

/** A sign-in at the organisation's provider that fails; the browser gets the kind of fault and nothing more. */
export class SignInRefusal extends Error {
  readonly fault: SignInFault

  /** @param cause The reason for the log; never sent to a client. */
  constructor(fault: SignInFault, cause?: unknown) {
    super(signInFaults[fault], cause === undefined ? undefined : { cause })
    this.name = 'SignInRefusal'
    this.fault = fault
  }
}
