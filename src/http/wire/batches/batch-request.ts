import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { batchEndpoints, batchFilesLifetimeMs } from '../../../core/files/batch.ts'
import { createBodyChecker } from '../faults/body-checker.ts'
import { textFaultCodes } from '../faults/refuse-faults.ts'
import { expiresAfterField } from '../files/file-request.ts'

const mostMetadata = 16

/** The body of POST /v1/batches. */
export const batchRequestSchema = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, description: 'A file of yours with the purpose batch: JSON lines, each a request.' }),
    endpoint: Type.Enum(batchEndpoints, { description: 'Where each line would be sent.' }),
    completion_window: Type.Enum(['24h'], { description: 'After this the batch ends however far it has come.' }),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 512 }), { maxProperties: mostMetadata, description: 'Kept with the batch.' }),
    ),
    output_expires_after: Type.Optional(expiresAfterField),
  },
  { additionalProperties: false },
)

const checker = createBodyChecker(batchRequestSchema)

/** Reads the body of POST /v1/batches. @throws {ServiceError} naming every fault at once. */
export function parseBatchRequest(received: unknown): Static<typeof batchRequestSchema> & { readonly filesLifetimeMs: number } {
  const body = checker.parse(received, textFaultCodes)
  if (Object.keys(body.metadata ?? {}).some((name) => name.length > 64))
    throw new ServiceError('invalid_request_error', '`metadata` must have names of at most 64 characters.', { param: 'metadata' })
  const seconds = body.output_expires_after?.seconds
  return { ...body, filesLifetimeMs: seconds === undefined ? batchFilesLifetimeMs : seconds * 1000 }
}
