import type { VNode } from 'preact'
import { signInFaults } from '../../../../core/sign-in/sign-in-fault.ts'

/** Why the organisation's sign-in failed, if the address states it. */
export function SignInFaultNote(): VNode | null {
  const name = new URLSearchParams(location.search).get('fault')
  const fault = Object.entries(signInFaults).find(([known]) => known === name)?.[1]
  return fault === undefined ? null : (
    <p class="note bad" role="alert" lang="en">
      {fault}
    </p>
  )
}
