import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ErrorRecord, ServiceError, toErrorRecord } from '../../core/error.ts'
import { type Batch, batchPageLines, maxLineBytes } from '../../core/files/batch.ts'
import type { Inference, OutputReference } from '../../core/inference.ts'
import type { Abortable } from '../../core/waiting.ts'
import { cancelInference } from '../../operations/deferred/inferences.ts'
import { submitInference } from '../../operations/deferred/submit-inference.ts'
import { fileNotFound, findFile } from '../../operations/files/file-documents.ts'
import { type FileLine, readFile, readLines } from '../../operations/files/kept-files.ts'
import { type BatchDependencies, type BatchLine, writePage } from './batch-pages.ts'

/** Temporary refusals. */
const passing: readonly ServiceError['code'][] = [
  'server_is_overloaded',
  'concurrency_limit_exceeded',
  'quota_exceeded',
  'rate_limit_exceeded',
]

/** A line of the page with its inference or its refusal; null = not queued yet. */
interface PageLine {
  readonly bytes: FileLine['bytes']
  readonly id: string | null
  readonly refused: ErrorRecord | null
  /** Whether the queue had no room for it, nor would have for the next ones. */
  readonly isFull?: boolean
}

/**
 * Advances the current page of a batch. Lines are queued with idempotency keys made of batch and line, so that repetitions after a crash or
 * by two nodes are the same inference. When all have ended, their results are written and the position advances in one write of the record.
 * While they run, the file is not read.
 *
 * @param ending Why the batch ends early: queue no more lines and cancel running ones; null = it does not.
 * @returns The new record; the same object if nothing has changed.
 * @throws {ServiceError} `not_found` if the input file is gone.
 */
export async function runPage(deps: BatchDependencies, batch: Batch, ending: ErrorRecord | null, options: Abortable): Promise<Batch> {
  if (ending === null && (await isUnderWay(deps, batch, options))) return batch
  const page = await readPage(deps, batch, options)
  if (page.length === 0) return batch
  const lines: PageLine[] = []
  for (const [at, { bytes }] of page.entries()) {
    const isFull = lines.some((line) => line.isFull)
    lines.push(await enter(deps, batch, { bytes, at, ending, isFull }, options))
  }
  const running = lines.map(({ id }) => id)
  const refused = lines.map((line) => line.refused)
  const inferences = new Map<string, Inference>()
  for (const id of running) {
    const found = id === null ? null : await deps.log.find(id, batch.accountId, options)
    if (found !== null) inferences.set(found.id, found)
  }
  const alive = [...inferences.values()].filter(({ status }) => status !== 'completed')
  if (ending !== null) for (const { id } of alive) await cancelInference(deps, { id, accountId: batch.accountId }, options)
  const waiting = alive.length > 0 || lines.some(({ id, refused }) => id === null && refused === null)
  if (waiting)
    return JSON.stringify([running, refused]) === JSON.stringify([batch.running, batch.refused]) ? batch : { ...batch, running, refused }
  const output: Uint8Array[] = []
  const errors: Uint8Array[] = []
  for (const [at, line] of lines.entries()) {
    const result = await encodeResult(deps, batch, { ...line, at, inferences }, options)
    ;(result.succeeded ? output : errors).push(...result.bytes)
  }
  const failed = errors.length
  return {
    ...batch,
    output: await writePage(deps, batch, { which: 'output', lines: output }, options),
    errors: await writePage(deps, batch, { which: 'errors', lines: errors }, options),
    counts: { ...batch.counts, completed: batch.counts.completed + page.length - failed, failed: batch.counts.failed + failed },
    place: { offset: page.at(-1)?.next ?? batch.place.offset, page: batch.place.page + 1 },
    running: [],
    refused: [],
  }
}

/** Whether every line is queued or refused, and at least one is still running. */
async function isUnderWay({ log }: BatchDependencies, { accountId, running, refused = [] }: Batch, options: Abortable): Promise<boolean> {
  if (running.some((id, at) => id === null && (refused[at] ?? null) === null)) return false
  for (const id of running) {
    const found = id === null ? null : await log.find(id, accountId, options)
    if (found !== null && found.status !== 'completed') return true
  }
  return false
}

/** Parsing a line is synchronous, so yield to the event loop before each. */
async function readLine({ batchWords }: BatchDependencies, { endpoint }: Batch, bytes: FileLine['bytes']): Promise<BatchLine> {
  await nextTurn()
  return batchWords.readLine(bytes, endpoint)
}

async function readPage(
  deps: BatchDependencies,
  { accountId, inputFileId, place }: Batch,
  options: Abortable,
): Promise<readonly FileLine[]> {
  const file = await findFile(deps, { accountId, id: inputFileId }, options)
  const page: FileLine[] = []
  if (place.offset >= file.bytes) return page
  try {
    for await (const line of readLines(readFile(deps, file, { ...options, from: place.offset }), {
      from: place.offset,
      most: maxLineBytes,
    })) {
      page.push(line)
      if (page.length === batchPageLines) break
    }
  } catch (error) {
    // Its record is there, but its bytes are lost.
    throw error instanceof ServiceError && error.code === 'internal_error' ? fileNotFound() : error
  }
  return page
}

async function enter(
  deps: BatchDependencies,
  batch: Batch,
  { bytes, at, ending, isFull }: Pick<PageLine, 'bytes' | 'isFull'> & { readonly at: number; readonly ending: ErrorRecord | null },
  options: Abortable,
): Promise<PageLine> {
  const known = batch.running[at] ?? null
  if (known !== null) return { bytes, id: known, refused: null }
  const refused = batch.refused?.[at] ?? ending
  if (refused !== null || isFull) return { bytes, id: null, refused }
  try {
    const line = await readLine(deps, batch, bytes)
    const { work, outputBytes } = deps.batchWords.readWork(line.body, batch)
    const { accountId, tokenId = null } = batch
    const fingerprint = createHash('sha256').update(bytes).digest('hex')
    const idempotency = { key: `${batch.id}/${batch.place.page}/${at}`, fingerprint }
    const submission = { accountId, tokenId, traceparent: null, work, priority: 'low', idempotency, webhookUrl: null, outputBytes } as const
    const { inference, repeated } = await submitInference(deps, submission, options)
    if (!repeated) deps.onLine?.(inference, { path: batch.endpoint, body: line.body })
    return { bytes, id: inference.id, refused: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { code } = error
    return passing.includes(code)
      ? { bytes, id: null, refused: null, isFull: code === 'server_is_overloaded' || code === 'concurrency_limit_exceeded' }
      : { bytes, id: null, refused: toErrorRecord(error) }
  }
}

async function encodeResult(
  deps: BatchDependencies,
  batch: Batch,
  { bytes, id, at, refused, inferences }: PageLine & { readonly at: number; readonly inferences: ReadonlyMap<string, Inference> },
  options: Abortable,
): Promise<{ readonly succeeded: boolean; readonly bytes: readonly Uint8Array[] }> {
  const { customId, body: requested } = await readLine(deps, batch, bytes)
  const inference = id === null ? undefined : inferences.get(id)
  // A line that was refused before it ran has no inference; its name must differ from others all the same.
  const name = id ?? `${batch.id.replace(/^batch_/, '')}-${batch.place.page * batchPageLines + at + 1}`
  const head = `{"id":${JSON.stringify(`batch_req_${name}`)},"custom_id":${JSON.stringify(customId)}`
  const stored = inference?.outcome === 'succeeded' && inference.output !== null ? await readOutput(deps, inference.output, options) : null
  if (Buffer.isBuffer(stored)) {
    const begin = `${head},"response":{"status_code":200,"request_id":${JSON.stringify(id)},"body":`
    const body = deps.batchWords.encodeAnswer(requested, batch.endpoint, stored)
    return { succeeded: true, bytes: [Buffer.concat([Buffer.from(begin), body, Buffer.from('},"error":null}\n')])] }
  }
  const error = stored ?? refused ?? inference?.error ?? toErrorRecord(new Error(`Nothing is known of ${id}`))
  // A cancelled line that never ran has no answer; one that ran has the same as a single request.
  const ended = error.code === 'request_cancelled' || error.code === 'response_expired'
  const { status, body } = deps.batchWords.encodeFailure(error)
  const response = ended ? null : { status_code: status, request_id: name, body }
  const plain = ended ? { code: error.code === 'request_cancelled' ? 'batch_cancelled' : 'batch_expired', message: error.message } : null
  return { succeeded: false, bytes: [Buffer.from(`${head},"response":${JSON.stringify(response)},"error":${JSON.stringify(plain)}}\n`)] }
}

/** The bytes of an output, or the error of its line if they are lost. A store that does not respond is tried again in the next round. */
async function readOutput(
  { outputs }: Pick<BatchDependencies, 'outputs'>,
  output: OutputReference,
  options: Abortable,
): Promise<Buffer | ErrorRecord> {
  try {
    return Buffer.concat(await Array.fromAsync(await outputs.open(output, options)))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'internal_error') return toErrorRecord(error)
    throw error
  }
}
