import Type from 'typebox'
import { limitSchema } from '../wire/page.ts'
import { type RouteParameter, text } from './documented-route.ts'

const header = (name: string, description: string, schema: RouteParameter['schema'] = text): RouteParameter => ({
  in: 'header',
  name,
  description,
  schema,
})

/** Headers of routes that can answer later. */
export const deferredHeaders: readonly RouteParameter[] = [
  header('X-Service-Async', '1 or true: answer 202 with an address to poll. Also under the names of the setting `async-headers`.'),
  header('Prefer', '`respond-async` does the same as X-Service-Async: 1.'),
  header(
    'Idempotency-Key',
    'Asynchronous only: the same key and body within 24 hours give the same request.',
    Type.String({ maxLength: 255 }),
  ),
  header(
    'X-Service-Priority',
    'Asynchronous only: low waits until no normal request waits.',
    Type.Enum(['normal', 'low'], { default: 'normal' }),
  ),
  header(
    'X-Service-Webhook',
    'Asynchronous only: an https address that receives a signed POST when the request is completed (Standard Webhooks, secret of GET /v1/webhooks/secrets).',
  ),
]

/** Asks for previews while an image is drawn. */
export const previewHeader = header('X-Service-Preview', 'Asynchronous only: 1 adds small previews to the events.')

/** The id in the path of the routes about one deferred request. */
export const inferenceId: RouteParameter = { in: 'path', name: 'id', description: 'The response_id.', schema: text }

export const waitParameters: readonly RouteParameter[] = [
  {
    in: 'query',
    name: 'wait',
    description: 'Wait for completion, at most this many seconds.',
    schema: Type.Number({ minimum: 0, maximum: 60 }),
  },
  header('Prefer', '`wait=<seconds>` does the same.'),
]

export const listParameters: readonly RouteParameter[] = [
  { in: 'query', name: 'status', description: 'Only requests with this status.', schema: Type.Enum(['pending', 'running', 'completed']) },
  { in: 'query', name: 'limit', description: 'Entries per page.', schema: limitSchema },
  { in: 'query', name: 'after', description: 'The `next` of the page before.', schema: text },
]
