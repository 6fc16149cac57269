import { tabId } from '../../../browser/browser-storage.ts'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { RequestFailure, send } from '../../../interface/request.ts'
import { session } from '../../../state/session.ts'

/** A change of a conversation that the service may not have yet. */
export interface UnsentChange {
  readonly method: 'PUT' | 'DELETE'
  readonly body: unknown
}

interface KeptChange extends UnsentChange {
  /** The tab that sends it while it is open. */
  readonly tab: string
  /** Unix milliseconds. */
  readonly at: number
}

/** Another tab that has not sent a change for so long is gone. */
const abandonedMs = 60_000

/** Keeps a change of what lies at a path until {@link forgetUnsent}, for a page that is left before the service has it. */
export function keepUnsent(path: string, change: UnsentChange): void {
  const kept: KeptChange = { ...change, tab: tabId(), at: Date.now() }
  void keepRecord(prefix() + path, kept)
}

/** The service has it, or never will. */
export function forgetUnsent(path: string): void {
  void forgetRecord(prefix() + path)
}

/** Sends what earlier pages of this tab, and tabs that are gone, could not. What the service cannot be asked now stays for the next page. */
export async function sendUnsent(): Promise<void> {
  const kept = await readRecords<KeptChange>(prefix())
  const left = [...kept].filter(([, { tab, at }]) => tab === tabId() || Date.now() - at > abandonedMs)
  for (const [path, { method, body }] of left.toSorted(([, one], [, other]) => one.at - other.at)) {
    try {
      await send(path, { method, body })
    } catch (failure) {
      if (!isFinal(failure)) return
    }
    forgetUnsent(path)
  }
}

/** Whether the service refuses for good, so that there is no use in asking again; whoever signs in again, or waits, is not refused. */
export function isFinal(failure: unknown): boolean {
  return failure instanceof RequestFailure && failure.status >= 400 && failure.status < 500 && ![401, 408, 429].includes(failure.status)
}

function prefix(): string {
  const current = session.peek()
  return `unsent/${current.state === 'signed-in' ? current.account.id : ''}/`
}
