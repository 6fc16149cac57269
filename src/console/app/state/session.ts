import { signal } from '@preact/signals'
import type { Account } from '../../../core/account.ts'
import type { Credentials, CurrentSession, SignedIn } from '../../contract/session.ts'
import { RequestFailure, request, send } from '../interface/request.ts'
import { forgetStored } from './stored.ts'

export type SessionState =
  | { readonly state: 'unknown' }
  | { readonly state: 'none' }
  | { readonly state: 'failed'; readonly failure: unknown }
  | { readonly state: 'signed-in'; readonly account: Account }

/** Who is signed in, as far as this page knows. */
export const session = signal<SessionState>({ state: 'unknown' })

/** Asks the service who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    const { account } = await request<CurrentSession>('/console/api/session')
    session.value = account === null ? { state: 'none' } : { state: 'signed-in', account }
  } catch (failure) {
    session.value = { state: 'failed', failure }
  }
}

/** Signs in. @throws {RequestFailure} when the two do not belong together. */
export async function signIn(credentials: Credentials): Promise<void> {
  const { account } = await request<SignedIn>('/console/api/session', { method: 'POST', body: credentials })
  session.value = { state: 'signed-in', account }
}

/** Signs out and begins anew, so that nothing of this person is left in the page or the browser. */
export async function signOut(): Promise<void> {
  await send('/console/api/session', { method: 'DELETE' })
  forgetStored()
  location.reload()
}

/** Whether an answer means that the session is over. */
export function isSignedOut(failure: unknown): boolean {
  return failure instanceof RequestFailure && failure.status === 401
}
