import type { FastifyRequest } from 'fastify'
import { type ErrorCode, errorCodes, type FieldFault, ServiceError, toErrorRecord } from '../../core/error.ts'
import { maxSteps } from '../../core/image-generation.ts'
import { isA1111Surface, isMessagesSurface, isNativeSurface, isOllamaSurface } from '../answers/surface.ts'
import { toErrorBody } from '../faults/error-body.ts'
import { type ErrorStatus, errorStatus } from '../faults/error-status.ts'
import { toA1111Error } from '../wire/a1111/a1111-error.ts'
import { toNativeError } from '../wire/llama-cpp/native-error.ts'
import { toMessageError } from '../wire/messages/message-error.ts'
import { toOllamaError } from '../wire/ollama/ollama-error.ts'

const steps: FieldFault = { path: ['steps'], message: `\`steps\` must be an integer from 1 to ${maxSteps}.`, kind: 'range' }
const vae: FieldFault = { path: ['vae'], message: '`vae` is not supported by fake-image: leave it out.', kind: 'unsupported' }

/** An example message of each error code, and the field that it names. */
const sentences: Readonly<Record<ErrorCode, readonly [message: string, fault?: FieldFault | string]>> = {
  invalid_json: ['Send a body that is valid JSON in UTF-8.'],
  invalid_request_error: ['`temperature` must be a number from 0 to 2.', 'temperature'],
  context_length_exceeded: ['The prompt has 9000 tokens, and the context of the model holds 8192; shorten it.', 'messages'],
  unsupported_parameter: ['`best_of` is not a field of this route; remove it.', 'best_of'],
  missing_token: ['Send an access token as Authorization: Bearer <token>.'],
  invalid_token: [
    'This access token is not valid; check that you copied it completely, or create a new one on the page Access tokens of the console.',
  ],
  token_expired: ['This access token has expired; create a new one on the page Access tokens of the console.'],
  token_revoked: ['This access token was revoked; use another one.'],
  insufficient_scope: ['Use an access token with the scope image.'],
  model_not_found: ['There is no text model named gpt; use smollm2-135m-instruct.', 'model'],
  request_not_found: ['This request does not exist; check the response_id and the access token.'],
  not_found: ['This address does not exist; GET /openapi.json lists the routes.'],
  method_not_allowed: ['Use POST here.'],
  request_timeout: ['Send bodies faster: at least 65536 bytes in 20 seconds.'],
  not_completed: ['The request is not completed yet; poll its poll_url first.'],
  idempotency_conflict: ['This Idempotency-Key was used with another body or webhook; use a new key for a new request.', 'idempotency-key'],
  request_cancelled: ['The request was cancelled; send it again if you still want it.'],
  response_expired: ['The output was deleted 24 hours after it was stored; send the request again.'],
  payload_too_large: ['Send a smaller body.'],
  unsupported_media_type: ['Send the body as application/json.', 'content-type'],
  validation_error: [steps.message, steps],
  unsupported: [vae.message, vae],
  rate_limit_exceeded: ['Send at most 60 requests a minute; try again in 12 seconds.'],
  concurrency_limit_exceeded: ['This account has reached its limit of 8 open streams (account-streams); end one of them first.'],
  quota_exceeded: ['This account has used up its 100000 tokens of today; wait until midnight UTC, or ask an owner.'],
  internal_error: ['The service failed; try again.'],
  inference_failed: ['The model stopped.'],
  numerical_error: ['The image model produced NaN or infinity; try another seed, sampler or guidance scale.'],
  server_is_overloaded: ['The service is receiving too many bytes (body-memory); try again shortly.'],
  model_loading: ['No model is available; wait, or check the log of the service.'],
  shutting_down: ['The service is restarting; send the request again shortly.'],
  inference_timeout: ['The inference took longer than 60 seconds; ask for less at once.'],
}

/** The shapes of errors, by the beginning of their names in the document. */
const shapes: readonly {
  readonly name: string
  readonly isThere: (route: Pick<FastifyRequest, 'url' | 'headers'>) => boolean
  readonly encode: (error: ServiceError) => object
}[] = [
  { name: '', isThere: () => false, encode: toErrorBody },
  { name: 'Message', isThere: isMessagesSurface, encode: (error) => toMessageError(toErrorRecord(error)) },
  { name: 'Ollama', isThere: isOllamaSurface, encode: toOllamaError },
  { name: 'A1111', isThere: isA1111Surface, encode: toA1111Error },
  { name: 'Native', isThere: isNativeSurface, encode: toNativeError },
]

/** The error responses of an OpenAPI document's components: one per status and shape, with an example for each of its codes. */
export function refusalAnswers(): Readonly<Record<string, object>> {
  const refusals = [...new Set(Object.values(errorStatus))].flatMap((status) => {
    const codes = errorCodes.filter((code) => errorStatus[code] === status)
    return shapes.map(({ name, encode }) => {
      const examples = Object.fromEntries(codes.map((code) => [code, { summary: code, value: encode(exampleError(code)) }]))
      const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}Error` }, examples } }
      return [`${name}Refused${status}`, { description: 'Rejected; see docs/errors.md.', content }]
    })
  })
  return Object.fromEntries(refusals)
}

/** Refers to the error response of one status, in the shape of the route's interface. */
export function refusalReference(path: string, status: ErrorStatus): object {
  const shape = shapes.find(({ isThere }) => isThere({ headers: {}, url: path }))
  return { $ref: `#/components/responses/${shape?.name ?? ''}Refused${status}` }
}

function exampleError(code: ErrorCode): ServiceError {
  const [message, fault] = sentences[code]
  if (typeof fault === 'object') return new ServiceError(code, message, { param: fault.path.join('.'), faults: [fault] })
  return new ServiceError(code, message, { param: fault })
}
