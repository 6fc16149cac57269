import type { RequestRecord } from '../../core/requests/request-record.ts'
import type { UsageEntry } from '../../core/usage.ts'

/** The record of a request whose caller waited: what the books say of it, and no words. */
export function finishedRequest(id: string, entry: UsageEntry): RequestRecord {
  const { accountId, tokenId, kind, model, outcome, promptTokens, completionTokens, images, firstTokenMs } = entry
  const durationMs = Math.round(entry.durationMs)
  const result = {
    outcome,
    promptTokens,
    completionTokens,
    images,
    durationMs,
    firstTokenMs: firstTokenMs === null ? null : Math.round(firstTokenMs),
  }
  return { id, accountId, tokenId, kind, model, at: Math.round(entry.at) - durationMs, asked: null, result }
}
