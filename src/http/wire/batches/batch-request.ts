import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { batchEndpoints, batchFilesLifetimeMs } from '../../../core/files/batch.ts'
import { isRecord } from '../../../core/json-value.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import { expiresAfterField } from '../files/file-request.ts'
import { metadataField } from '../metadata-field.ts'

/** The body of POST /v1/batches. */
export const batchRequestSchema = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, description: 'One of your files with the purpose batch: JSON lines, each a request.' }),
    endpoint: Type.Enum(batchEndpoints, { description: 'The endpoint of every line.' }),
    completion_window: Type.Enum(['24h'], { description: 'After this the batch ends, complete or not.' }),
    metadata: metadataField('Your own notes, kept with the batch.'),
    output_expires_after: Type.Optional(expiresAfterField),
  },
  { additionalProperties: false },
)

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
