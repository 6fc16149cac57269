import { signal } from '@preact/signals'
import type { Account } from '../../../core/account.ts'
import type {
  Credentials,
  CurrentSession,
  OpenIdStart,
  OpenIdStarted,
  SecondFactorRequired,
  SignedIn,
  SignInWays,
} from '../../contract/session.ts'
import { noteLeft, stopKeeping, takeLeft } from '../browser/browser-storage.ts'
import { forgetAllRecords } from '../browser/kept-records.ts'
import { RequestFailure, request, send } from '../interface/request.ts'
import { navigate, path } from './router.ts'
import { forgetStored, onStoredElsewhere, storedSignal } from './stored.ts'

/** Why nobody is signed in: no owner ever was, somebody just left, a sign-in ended while its page was open, or simply so. */
export type Greeting = 'first-run' | 'left' | 'ended' | 'welcome'

export type SessionState =
  | { readonly state: 'unknown' }
  | { readonly state: 'none'; readonly ways: SignInWays; readonly greeting: Greeting }
  | { readonly state: 'failed'; readonly failure: unknown }
  | { readonly state: 'signed-in'; readonly account: Account }

/** The signed-in person, as last read by this page. */
export const session = signal<SessionState>({ state: 'unknown' })

/** Bytes of a request that the service answers at once; null = it has not said yet. */
export const mostBodyBytes = signal<number | null>(null)

/** Whose the drafts and settings in this browser are. */
const person = storedSignal('person', { id: '' })
onStoredElsewhere('person', (text) => {
  const { id: before } = person.peek()
  if (text === JSON.stringify(person.peek())) return
  if (before === '') void loadSession()
  else startAgain()
})

/** Asks the service who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    const { account, ways, firstRun, mostBodyBytes: most } = await request<CurrentSession>('/console/api/session')
    mostBodyBytes.value = most
    if (account !== null) return admit(account)
    session.value = { state: 'none', ways, greeting: firstRun ? 'first-run' : greetingAfter(session.peek()) }
  } catch (failure) {
    session.value = { state: 'failed', failure }
  }
}

function greetingAfter(before: SessionState): Greeting {
  if (before.state === 'signed-in') return 'ended'
  if (before.state !== 'none') return takeLeft() ? 'left' : 'welcome'
  // The first owner starts with the whole service.
  return before.greeting === 'first-run' ? 'welcome' : before.greeting
}

/**
 * Signs in, unless a code is asked for besides, or recovery codes have to be read first; {@link admit} goes on from there.
 *
 * @throws {RequestFailure} when the two do not belong together, or the code is wrong.
 */
export async function signIn(credentials: Credentials): Promise<SignedIn | SecondFactorRequired> {
  const answer = await request<SignedIn | SecondFactorRequired>('/console/api/session', { method: 'POST', body: credentials })
  if (answer.account !== null && answer.recoveryCodes === undefined) admit(answer.account)
  return answer
}

/** Shows the console after a sign-in. Nothing remains of another person whose session ended here. */
export function admit(account: Account): void {
  const { id: before } = person.peek()
  if (before !== '' && before !== account.id) forgetStored()
  person.value = { id: account.id }
  if (before !== '' && before !== account.id) {
    location.reload()
    return
  }
  if (path.value === '/console/sign-in') navigate('/console/chat', { replace: true })
  session.value = { state: 'signed-in', account }
}

/** Leaves for the organisation's sign-in, which leads back. @throws {RequestFailure} when its provider does not answer. */
export async function leaveForOrganisation(start: OpenIdStart): Promise<void> {
  const { address } = await request<OpenIdStarted>('/console/api/sign-in/openid', { method: 'POST', body: start })
  location.assign(address)
}

/** Somebody else has come in another tab, or this person has left there: what this page still has is for nobody any more. */
function startAgain(): void {
  stopKeeping()
  location.reload()
}

/** Signs out and reloads, so that nothing of this person is left in the page or the browser. */
export async function signOut(): Promise<void> {
  await send('/console/api/session', { method: 'DELETE' })
  noteLeft()
  stopKeeping()
  forgetStored()
  await forgetAllRecords()
  location.reload()
}

/** Asks for something, and once more after the person has signed in again where their sign-in had ended. */
export async function whileSignedIn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (failure) {
      if (!isSignedOut(failure)) throw failure
      await loadSession()
      if (session.peek().state === 'signed-in') throw failure
      await signedIn()
    }
  }
}

function signedIn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = session.subscribe(({ state }) => {
    if (state === 'signed-in') resolve()
  })
  return promise.finally(stop)
}

/** Whether an answer means that the session is over. */
export function isSignedOut(failure: unknown): boolean {
  return failure instanceof RequestFailure && failure.status === 401
}
