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
import { type Leaving, rememberLeaving, stopStoring, takeLeaving } from '../browser/browser-storage.ts'
import { forgetAllRecords } from '../browser/kept-records.ts'
import { RequestFailure, request, send } from '../interface/request.ts'
import { showMoneyIn } from '../language/formats.ts'
import { t } from '../language/t.ts'
import { navigate, path } from './router.ts'
import { forgetStored, onStoredElsewhere, storedSignal } from './stored.ts'

/** Why nobody is signed in: there is no owner yet, the user signed out, the session expired while the page was open, or none of these. */
export type Greeting = 'first-run' | 'ended' | 'welcome' | Leaving

export type SessionState =
  | { readonly state: 'unknown' }
  | { readonly state: 'none'; readonly ways: SignInWays; readonly greeting: Greeting }
  | { readonly state: 'failed'; readonly failure: unknown }
  | { readonly state: 'signed-in'; readonly account: Account }

/** The signed-in account, as last loaded by this page. */
export const session = signal<SessionState>({ state: 'unknown' })

/** The prefix of one kind of records of the signed-in account in this browser. */
export function ownPrefix(kind: string): string {
  const current = session.peek()
  return `${kind}/${current.state === 'signed-in' ? current.account.id : ''}/`
}

/** The service's size limit of a request, in bytes; null = not known yet. */
export const mostBodyBytes = signal<number | null>(null)

/** The command line of the service, as it is typed. */
export const command = signal<CurrentSession['command']>('sepia')

/** The account that the drafts and settings in this browser belong to. */
const person = storedSignal('person', { id: '' })
onStoredElsewhere('person', (text) => {
  const { id: before } = person.peek()
  if (text === JSON.stringify(person.peek())) return
  if (before === '') void loadSession()
  else startAgain()
})

/** Loads the signed-in account. */
export async function loadSession(): Promise<void> {
  try {
    const { account, ways, firstRun, ...service } = await request<CurrentSession>('/console/api/session')
    mostBodyBytes.value = service.mostBodyBytes
    command.value = service.command
    showMoneyIn(service.currency)
    if (account !== null) return admit(account)
    session.value = { state: 'none', ways, greeting: firstRun ? 'first-run' : greetingAfter(session.peek()) }
  } catch (failure) {
    session.value = { state: 'failed', failure }
  }
}

function greetingAfter(before: SessionState): Greeting {
  if (before.state === 'signed-in') return 'ended'
  if (before.state !== 'none') return takeLeaving() ?? 'welcome'
  // After the first start, the usual greeting follows.
  return before.greeting === 'first-run' ? 'welcome' : before.greeting
}

/**
 * Signs in. A second factor, or recovery codes to read, may be required first; {@link admit} continues from there.
 *
 * @throws {RequestFailure} when the credentials or the code are wrong.
 */
export async function signIn(credentials: Credentials): Promise<SignedIn | SecondFactorRequired> {
  const answer = await request<SignedIn | SecondFactorRequired>('/console/api/session', { method: 'POST', body: credentials })
  if (answer.account !== null) await requireKept()
  if (answer.account !== null && answer.recoveryCodes === undefined) admit(answer.account)
  return answer
}

/** Fails if the browser did not store the session cookie; later requests would report an expired sign-in. */
async function requireKept(): Promise<void> {
  const { account } = await request<CurrentSession>('/console/api/session')
  if (account === null)
    throw new RequestFailure(
      0,
      'cookies_blocked',
      t`Your browser blocks cookies. Sepia needs one to keep you signed in; allow cookies for this site.`,
    )
}

/** Shows the console after a sign-in, and deletes the stored data of another account whose session ended here. */
export function admit(account: Account): void {
  const { id: before } = person.peek()
  const isAnother = before !== '' && before !== account.id
  if (isAnother) forgetStored()
  person.value = { id: account.id }
  if (isAnother) {
    startAgain()
    return
  }
  if (path.value === '/console/sign-in') navigate('/console/chat', { replace: true })
  session.value = { state: 'signed-in', account }
}

/**
 * Goes to the organisation's sign-in, which returns here.
 *
 * @throws {RequestFailure} when its provider does not answer.
 */
export async function leaveForOrganisation(start: OpenIdStart): Promise<void> {
  const { address } = await request<OpenIdStarted>('/console/api/sign-in/openid', { method: 'POST', body: start })
  location.assign(address)
}

/** Reloads the page, which stores nothing more, when another account signed in, or this one signed out in another tab. */
function startAgain(): void {
  stopStoring()
  location.reload()
}

/** Signs out and reloads, so that no data of the account stays in the page or the browser. */
export async function signOut(how: Leaving = 'left'): Promise<void> {
  await send('/console/api/session', { method: 'DELETE' })
  rememberLeaving(how)
  stopStoring()
  forgetStored()
  await forgetAllRecords()
  location.reload()
}

/** Sends a request, and repeats it after a new sign-in if the session had expired. */
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

/** Whether an error means that the session has ended. */
export function isSignedOut(failure: unknown): boolean {
  return failure instanceof RequestFailure && failure.status === 401
}
