import { filePrefix } from '../core/files/stored-file.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'
import type { InferenceLog } from '../core/ports/inference-log.ts'
import type { ExpiryReport, Hold, InferenceQueue, SweepReport } from '../core/ports/inference-queue.ts'
import type { OutputStore, StoredOutput } from '../core/ports/output-store.ts'
import type { RequestLog } from '../core/ports/request-log.ts'
import { askedRetentionMs, requestRetentionMs } from '../core/requests/request-record.ts'
import { bodyFiles } from '../operations/bodies/kept-bodies.ts'
import { readFileDocument } from '../operations/files/file-documents.ts'

const documentBatch = 100

/** Removes documents that have expired, and the bytes that lie beside those of files and of the request log. */
export async function expireDocuments(
  { documents, outputs }: { readonly documents: DocumentStore; readonly outputs: OutputStore },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const expired = await documents.takeExpired(documentBatch, options)
    const files = expired.filter(({ kind }) => kind === 'file').map(readFileDocument)
    await outputs.delete([...files.flatMap(({ parts }) => parts.map(({ key }) => key)), ...bodyFiles(expired)], options)
    if (expired.length < documentBatch) return
  }
}

/**
 * Deletes the outputs that have expired: their rows first, then the bytes, so that a crash in between leaves bytes
 * without a row, which the search for orphans finds.
 */
export async function expireOutputs(
  {
    queue,
    outputs,
    onExpired,
  }: { readonly queue: InferenceQueue; readonly outputs: OutputStore; readonly onExpired: (report: ExpiryReport) => void },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const report = await queue.expire(options)
    await outputs.delete(report.outputs, options)
    if (report.outputs.length + report.deletedRecords === 0) return
    onExpired(report)
  }
}

/** Forgets what was asked once its retention is over: the words first, then that it was asked at all. */
export async function expireRequests(
  { requests, clock }: { readonly requests: RequestLog; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const now = clock.now()
  await requests.expire({ words: now - askedRetentionMs, all: now - requestRetentionMs }, options)
}

/** Moves on what lost its worker or waited too long, until nothing is left to move. */
export async function sweepQueue(
  {
    queue,
    heldClaims,
    onSwept,
  }: { readonly queue: InferenceQueue; readonly heldClaims: () => readonly Hold[]; readonly onSwept: (report: SweepReport) => void },
  { maxQueueMs }: { readonly maxQueueMs: number },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const report = await queue.sweep({ maxQueueMs, spared: heldClaims() }, options)
    if (report.requeued + report.failed === 0) return
    onSwept(report)
  }
}

/** Output bytes younger than this may belong to a completion that is still on its way. */
const youngMs = 60 * 60 * 1000
const orphanBatch = 500

/** Deletes output bytes that no record has a right to: left by a crash, or by a record that is gone. */
export async function removeOrphanOutputs(
  {
    outputs,
    documents,
    log,
    clock,
  }: { readonly outputs: OutputStore; readonly documents: DocumentStore; readonly log: InferenceLog; readonly clock: Clock },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  let old: StoredOutput[] = []
  const removeAll = async () => {
    const orphans = new Set(await log.findOrphans(old, options))
    const unknown = old.filter(({ key }) => orphans.has(key))
    const kept = await Promise.all(unknown.map(({ inferenceId }) => isKept(documents, inferenceId, options)))
    await outputs.delete(
      unknown.filter((_, at) => !kept[at]).map(({ key }) => key),
      options,
    )
    old = []
  }
  for await (const output of outputs.listOld({ olderThan: clock.now() - youngMs }, options)) {
    old.push(output)
    if (old.length >= orphanBatch) await removeAll()
  }
  await removeAll()
}

/** Whether bytes that belong to no inference are a file's, a picture's that somebody keeps, or a body's of the request log. */
async function isKept(documents: DocumentStore, id: string, options: { readonly signal: AbortSignal }): Promise<boolean> {
  const names = [
    { kind: 'file', id: `${filePrefix}${id}` } as const,
    { kind: 'picture', id } as const,
    { kind: 'request-body', id } as const,
  ]
  const found = await Promise.all(names.map((name) => documents.get({ ...name, accountId: null }, options)))
  return found.some((document) => document !== null)
}
