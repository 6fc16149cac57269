import { type ErrorRecord, ServiceError, toErrorRecord } from '../../core/error.ts'
import { type Batch, type BatchEndpoint, type BatchFault, type BatchFile, maxBatchLines, maxLineBytes } from '../../core/files/batch.ts'
import { filePrefix } from '../../core/files/stored-file.ts'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { InferenceEvents } from '../../operations/deferred/inference-events.ts'
import type { SubmitDependencies } from '../../operations/deferred/submit-inference.ts'
import { type FileDependencies, fileDocument, findFile, readFileDocument } from '../../operations/files/file-documents.ts'
import { readFile, readLines } from '../../operations/files/kept-files.ts'

/** Maximum number of reported faults; beyond that, usually every line has the same one. */
const maxFaults = 20

/**
 * Checks a whole batch file: the batch continues, or fails with the faults of its lines.
 *
 * @throws {ServiceError} `server_is_overloaded` if the file cannot be read now.
 */
export async function validateBatch(deps: BatchDependencies, batch: Batch, options: Abortable): Promise<Batch> {
  const faults: BatchFault[] = []
  const known = new Set<string>()
  let total = 0
  const note = (line: number | null, error: unknown): void => void faults.push({ line, error: toErrorRecord(error) })
  try {
    const file = await findFile(deps, { accountId: batch.accountId, id: batch.inputFileId }, options)
    for await (const { bytes } of readLines(readFile(deps, file, options), { from: 0, most: maxLineBytes })) {
      total += 1
      if (total > maxBatchLines) {
        note(null, new ServiceError('invalid_request_error', `Send at most ${maxBatchLines} lines in a batch; split the file.`))
        break
      }
      try {
        if (bytes.length > maxLineBytes)
          throw new ServiceError(
            'payload_too_large',
            `Send lines of at most ${maxLineBytes} bytes; larger requests do not fit into a batch.`,
          )
        const { customId } = deps.batchWords.readLine(bytes, batch.endpoint)
        if (known.has(customId))
          throw new ServiceError('invalid_request_error', '`custom_id` must differ from that of every other line.', { param: 'custom_id' })
        known.add(customId)
      } catch (error) {
        note(total, error)
        if (faults.length === maxFaults) break
      }
    }
    if (total === 0) note(null, new ServiceError('invalid_request_error', 'Send a file with at least one line.'))
  } catch (error) {
    // Nothing is wrong with the file: the next round reads it again.
    if (!(error instanceof ServiceError) || error.code === 'server_is_overloaded') throw error
    note(null, error)
  }
  const now = deps.clock.now()
  if (faults.length > 0) return { ...batch, status: 'failed', faults, endedAt: now }
  return { ...batch, status: 'in_progress', startedAt: now, counts: { total, completed: 0, failed: 0 } }
}

/**
 * Appends one page to a batch's output file. Idempotent: the part is named after the page's number, and pages that another node has appended
 * since stay. A file that was deleted meanwhile begins again with this page.
 *
 * @param batch The batch before the page.
 */
export async function writePage(
  { outputs, documents }: Pick<BatchDependencies, 'outputs' | 'documents'>,
  batch: Batch,
  { which, lines }: { readonly which: 'output' | 'errors'; readonly lines: readonly Uint8Array[] },
  options: Abortable,
): Promise<BatchFile> {
  if (lines.length === 0) return batch[which]
  const { uuid } = batch[which]
  const content = { contentType: 'application/octet-stream', chunks: lines }
  const part = await outputs.put({ inferenceId: uuid, attempt: batch.place.page }, content, options)
  for (;;) {
    const known = await documents.get(fileKey(batch, which), options)
    const { bytes, parts } = known === null ? { bytes: 0, parts: [] } : batch[which]
    const grown = { uuid, bytes: bytes + part.bytes, parts: [...parts, part] }
    if (known !== null && readFileDocument(known).parts.length > grown.parts.length) return grown
    const name = `${batch.id}_${which === 'output' ? 'output' : 'error'}.jsonl`
    const facts = { ...fileKey(batch, which), name, purpose: 'batch_output', createdAt: batch.createdAt } as const
    // The batch has ended by then; see `setFilesExpiry`.
    const document = fileDocument({ ...facts, ...grown, expiresAt: batch.expiresAt + batch.filesLifetimeMs })
    if ((await documents.put(document, { ...options, version: known?.version ?? null, most: unlimited })) === 'stored') return grown
  }
}

/** Has the files of a batch that ends now expire after their lifetime. */
export async function setFilesExpiry(
  { documents, clock }: Pick<BatchDependencies, 'documents' | 'clock'>,
  batch: Batch,
  options: Abortable,
): Promise<void> {
  const expiresAt = clock.now() + batch.filesLifetimeMs
  for (const which of ['output', 'errors'] as const)
    for (;;) {
      const known = await documents.get(fileKey(batch, which), options)
      if (known === null) break
      const { version, bytes: _, ...document } = known
      if (
        (await documents.put({ ...document, text: readFileDocument(known).name, expiresAt }, { ...options, version, most: unlimited })) ===
        'stored'
      )
        break
    }
}

/** Results are never refused for lack of storage; their inferences were checked before they ran. */
const unlimited = Number.POSITIVE_INFINITY

function fileKey({ accountId, ...files }: Batch, which: 'output' | 'errors') {
  return { kind: 'file', id: `${filePrefix}${files[which].uuid}`, accountId } as const
}

/** A parsed line of a batch. */
export interface BatchLine {
  readonly customId: string
  readonly body: unknown
}

/** Reads lines and writes results in the format of the public interface. */
export interface BatchWords {
  /** @throws {ServiceError} naming the fault of a line. */
  readLine(bytes: Buffer<ArrayBuffer>, endpoint: BatchEndpoint): BatchLine
  /** The work in a line's body and the maximum size of its output. @throws {ServiceError} as the endpoint. */
  readWork(
    body: unknown,
    batch: { readonly endpoint: BatchEndpoint; readonly accountId: string },
  ): { readonly work: InferenceWork; readonly outputBytes: number }
  /** The endpoint's answer, built from the stored output. */
  encodeAnswer(body: unknown, endpoint: BatchEndpoint, output: Buffer): Buffer
  /** The endpoint's status and body for an error. */
  encodeFailure(error: ErrorRecord): { readonly status: number; readonly body: object }
}

/** Dependencies of advancing batches. */
export interface BatchDependencies extends FileDependencies, SubmitDependencies, Pick<Store, 'log' | 'accounts'> {
  readonly clock: Clock
  readonly events: InferenceEvents
  readonly batchWords: BatchWords
  /** Called with each queued line, for the request log. */
  readonly onLine?: (inference: Inference, call: { readonly path: string; readonly body: unknown }) => void
}
