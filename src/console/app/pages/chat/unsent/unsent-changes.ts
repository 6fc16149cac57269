import type { Turn } from '../../../../../core/chat/conversation.ts'
import { tabId } from '../../../browser/browser-storage.ts'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { isGone, RequestFailure, send } from '../../../interface/request.ts'
import { ownPrefix } from '../../../state/session.ts'

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

/** A change that was rejected for this long is dropped. */
const retentionMs = 30 * 24 * 60 * 60 * 1000

/** A tab that has not sent a change for this long counts as closed. */
const abandonedMs = 60_000

/** Stores a change of the resource at a path until {@link forgetUnsent}, in case the page is closed before the service has it. */
export function keepUnsent(path: string, change: UnsentChange): void {
  const kept: KeptChange = { ...change, tab: tabId(), at: Date.now() }
  void keepRecord(ownPrefix('unsent') + path, kept)
}

/** Deletes a change that the service has, or never will have. */
export function forgetUnsent(path: string): void {
  void forgetRecord(ownPrefix('unsent') + path)
}

/** Sends the unsent changes of earlier pages of this tab and of closed tabs. Changes that fail now are left for the next page. */
export async function sendUnsent(): Promise<void> {
  const left = await leftChanges('')
  for (const [path, { method, body, at }] of left.toSorted(([, one], [, other]) => one.at - other.at)) {
    try {
      await send(path, { method, body })
    } catch (failure) {
      if (isRefused(failure) && Date.now() - at < retentionMs) continue
      if (!isRefused(failure) && !isGone(failure)) return
    }
    forgetUnsent(path)
  }
}

/** Unsent messages of a conversation, by its path. */
export async function unsentTurns(path: string): Promise<readonly Turn[]> {
  const left = await leftChanges(`${path}/turns/`)
  return left.flatMap(([id, { method, body }]) => (method === 'PUT' ? [{ ...(body as Omit<Turn, 'id'>), id }] : []))
}

/**
 * Whether a change itself is rejected, for example by a proxy with a size limit. A change that needs only another sign-in, or a wait, is not.
 */
export function isRefused(failure: unknown): boolean {
  if (!(failure instanceof RequestFailure)) return false
  return failure.status >= 400 && failure.status < 500 && ![401, 404, 408, 429].includes(failure.status)
}

async function leftChanges(path: string): Promise<readonly (readonly [string, KeptChange])[]> {
  const kept = await readRecords<KeptChange>(ownPrefix('unsent') + path)
  return [...kept].filter(([, { tab, at }]) => tab === tabId() || Date.now() - at > abandonedMs)
}
