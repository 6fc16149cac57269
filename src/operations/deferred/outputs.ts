import { createHash } from 'node:crypto'
import { fromErrorRecord, ServiceError } from '../../core/error.ts'
import type { Inference, OutputReference, StoredImages, StoredPicture } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { OutputContent, OutputStore } from '../../core/ports/output-store.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { type InferenceTarget, requestNotFound } from './inferences.ts'

/** An available output. */
export interface FoundOutput {
  readonly output: OutputReference
  /** Unix milliseconds; the content is deleted then. */
  readonly expiresAt: number
}

/**
 * Finds the stored output of one of the account's inferences without reading it.
 *
 * @throws {ServiceError} `request_not_found`; `not_completed`; `response_expired` after 24 hours; the inference's own error if it failed or
 * was cancelled.
 */
export async function findOutput(
  { log, clock }: Pick<Store, 'log' | 'clock'>,
  { id, accountId }: InferenceTarget,
  options: Abortable,
): Promise<FoundOutput> {
  const inference = await log.find(id, accountId, options)
  if (inference === null) throw requestNotFound()
  const { status, output, error, expiresAt } = inference
  if (status !== 'completed' || expiresAt === null)
    throw new ServiceError('not_completed', 'The request is not completed yet; poll its poll_url first.', { retryAfterSeconds: 1 })
  if (expiresAt <= clock.now())
    throw new ServiceError('response_expired', 'The output was deleted 24 hours after it was stored; send the request again.')
  if (error !== null) throw fromErrorRecord(error)
  if (output === null) throw new Error(`The succeeded inference ${id} has no output.`)
  return { output, expiresAt }
}

/**
 * Reads the bytes of a record that was found. Both may be deleted at any moment, the record first; so if the bytes cannot be read, the record
 * is looked up again.
 *
 * @throws {ServiceError} as `find` if the record was deleted meanwhile; else as `read`.
 */
export async function readStored<Result>(read: () => Promise<Result>, find: () => Promise<unknown>): Promise<Result> {
  return read().catch(async (error: unknown) => {
    await find()
    throw error
  })
}

/** An output with its bytes in pieces; can be read repeatedly. */
export interface OpenedOutput extends FoundOutput {
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * Opens the stored output of one of the account's inferences.
 *
 * @throws {ServiceError} as {@link findOutput}; `internal_error` if the stored bytes are damaged.
 */
export async function openOutput(
  deps: { readonly log: InferenceLog; readonly outputs: OutputStore; readonly clock: Clock },
  target: InferenceTarget,
  options: Abortable,
): Promise<OpenedOutput> {
  const find = () => findOutput(deps, target, options)
  const found = await find()
  return { ...found, chunks: await readStored(() => deps.outputs.open(found.output, options), find) }
}

/**
 * Reads only one picture of a stored output.
 *
 * @throws {ServiceError} `internal_error` if its bytes are missing or damaged.
 */
export async function openPicture(
  { outputs }: { readonly outputs: OutputStore },
  { output, picture }: { readonly output: OutputReference; readonly picture: StoredPicture },
  options: Abortable,
): Promise<Buffer> {
  const part = await outputs.readPart(output, picture, options)
  const bytes = Buffer.from(Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1'), 'base64')
  if (createHash('sha256').update(bytes).digest('hex') === picture.sha256) return bytes
  throw new ServiceError('internal_error', 'The stored image is damaged; send the request again.')
}

/**
 * Reads what a failed inference had written, as JSON; null = nothing, or it was deleted or is damaged.
 *
 * @throws {ServiceError} `server_is_overloaded` if it cannot be read now.
 */
export async function readWritten(
  { outputs, clock }: { readonly outputs: OutputStore; readonly clock: Clock },
  { outcome, output, expiresAt }: Inference,
  options: Abortable,
): Promise<string | null> {
  if (outcome !== 'failed' || output === null || expiresAt === null || expiresAt <= clock.now()) return null
  try {
    return Buffer.concat(await Array.fromAsync(await outputs.open(output, options))).toString('utf8')
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'internal_error') return null
    throw error
  }
}

/** A result encoded for clients. */
export interface EncodedOutput extends OutputContent {
  /** Positions of its pictures; available after the chunks were stored. */
  readonly images?: () => StoredImages
}
