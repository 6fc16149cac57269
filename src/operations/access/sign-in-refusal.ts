import { type SignInFault, signInFaults } from '../../core/sign-in/sign-in-fault.ts'

/** A sign-in at the organisation's provider that leads nowhere; the browser is told which fault it was, and no more. */
export class SignInRefusal extends Error {
  readonly fault: SignInFault

  /** @param cause The reason for the log; never sent to a client. */
  constructor(fault: SignInFault, cause?: unknown) {
    super(signInFaults[fault], cause === undefined ? undefined : { cause })
    this.name = 'SignInRefusal'
    this.fault = fault
  }
}
