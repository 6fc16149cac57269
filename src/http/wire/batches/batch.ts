import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { type Batch, type BatchFile, type BatchStatus, batchEndpoints, batchFilesLifetimeMs, hasEnded } from '../../../core/files/batch.ts'
import { filePrefix } from '../../../core/files/stored-file.ts'
import { isRecord } from '../../../core/json-value.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed } from '../../faults/object-schema.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import type { Answer } from '../answer.ts'
import { expiresAfterField } from '../files/file.ts'
import { metadataField } from '../metadata-field.ts'

/** The body of POST /v1/batches. */
export const batchRequestSchema = closed({
  input_file_id: Type.String({ minLength: 1, description: 'One of your files with the purpose batch: JSON lines, each a request.' }),
  endpoint: Type.Enum(batchEndpoints, { description: 'The endpoint of every line.' }),
  completion_window: Type.Enum(['24h'], { description: 'Time after which the batch ends, complete or not.' }),
  metadata: metadataField('Your own notes, kept with the batch.'),
  output_expires_after: Type.Optional(expiresAfterField),
})

const checker = createBodyChecker(batchRequestSchema)

/** Reads the body of POST /v1/batches. @throws {ServiceError} naming every fault at once. */
export function parseBatchRequest(received: unknown): Static<typeof batchRequestSchema> & { readonly filesLifetimeMs: number } {
  if (isRecord(received) && received.endpoint === '/v1/moderations')
    throw new ServiceError('unsupported_parameter', '`endpoint` cannot be /v1/moderations: this service does not moderate texts.', {
      param: 'endpoint',
    })
  const body = checker.parse(received, textFaultCodes)
  const seconds = body.output_expires_after?.seconds
  return { ...body, filesLifetimeMs: seconds === undefined ? batchFilesLifetimeMs : seconds * 1000 }
}

const seconds = Type.Union([Type.Integer(), Type.Null()], { description: 'Unix seconds.' })
const maybeText = Type.Union([Type.String(), Type.Null()])
const statuses = ['validating', 'in_progress', 'cancelling', 'completed', 'failed', 'expired', 'cancelled'] as const

/** A batch in OpenAI's format. */
export const batchObjectSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('batch'),
  endpoint: Type.String(),
  errors: Type.Union([
    Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({ code: Type.String(), message: Type.String(), param: maybeText, line: Type.Union([Type.Integer(), Type.Null()]) }),
      ),
    }),
    Type.Null(),
  ]),
  input_file_id: Type.String(),
  completion_window: Type.Literal('24h'),
  status: Type.Enum(statuses),
  output_file_id: maybeText,
  error_file_id: maybeText,
  created_at: Type.Integer({ description: 'Unix seconds.' }),
  in_progress_at: seconds,
  expires_at: Type.Integer({ description: 'Unix seconds; the batch ends then, complete or not.' }),
  finalizing_at: seconds,
  completed_at: seconds,
  failed_at: seconds,
  expired_at: seconds,
  cancelling_at: seconds,
  cancelled_at: seconds,
  request_counts: Type.Object({ total: Type.Integer(), completed: Type.Integer(), failed: Type.Integer() }),
  metadata: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
})

/** Encodes a batch. */
export function encodeBatch(batch: Batch): Answer<typeof batchObjectSchema> {
  const { id, endpoint, inputFileId, status, faults, counts, metadata } = batch
  const ended = (state: BatchStatus) => (status === state ? toSeconds(batch.endedAt) : null)
  return {
    id,
    object: 'batch',
    endpoint,
    errors:
      faults.length === 0
        ? null
        : { object: 'list', data: faults.map(({ line, error: { code, message, param } }) => ({ code, message, param, line })) },
    input_file_id: inputFileId,
    completion_window: '24h',
    status,
    output_file_id: fileId(batch, batch.output),
    error_file_id: fileId(batch, batch.errors),
    created_at: Math.floor(batch.createdAt / 1000),
    in_progress_at: toSeconds(batch.startedAt),
    expires_at: Math.floor(batch.expiresAt / 1000),
    finalizing_at: ended('completed'),
    completed_at: ended('completed'),
    failed_at: ended('failed'),
    expired_at: ended('expired'),
    cancelling_at: toSeconds(batch.cancellingAt),
    cancelled_at: ended('cancelled'),
    request_counts: { ...counts },
    metadata: metadata && { ...metadata },
  }
}

/** A file's id; null until the file is complete. */
function fileId(batch: Batch, { uuid, parts }: BatchFile): string | null {
  return hasEnded(batch) && parts.length > 0 ? `${filePrefix}${uuid}` : null
}

function toSeconds(at: number | null): number | null {
  return at === null ? null : Math.floor(at / 1000)
}
