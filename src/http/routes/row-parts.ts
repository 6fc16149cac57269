import Type, { type TSchema } from 'typebox'
import type { RouteAnswer, RouteParameter } from '../route-description.ts'
import { submissionSchema } from '../wire/deferred/inference.ts'
import { limitSchema } from '../wire/page.ts'

/** A text answer or parameter. */
export const text: TSchema = Type.String()

/** A JSON answer of one shape. */
export function json(description: string, schema: TSchema, status: 200 | 202 = 200): RouteAnswer {
  return { status, description, content: { 'application/json': schema } }
}

/** An answer of one of these media types. */
export function media(description: string, ...types: readonly string[]): RouteAnswer {
  return { status: 200, description, content: Object.fromEntries(types.map((type) => [type, text])) }
}

/** The stream alternative of an answer. */
export const events: Readonly<Record<string, TSchema>> = { 'text/event-stream': text }

/** The answer to a deferred request. */
export const submitted: RouteAnswer = json('Asynchronous: the request is stored and will be completed.', submissionSchema, 202)

/** Error statuses of every route that runs a text model. */
export const modelRefusals = [400, 404, 413, 415, 429, 503, 504] as const

/** A path parameter. */
export function inPath(name: string, description: string): RouteParameter {
  return { in: 'path', name, description, schema: text }
}

/** A query parameter, text by default. */
export function inQuery(name: string, description: string, schema: TSchema = text): RouteParameter {
  return { in: 'query', name, description, schema }
}

/** A header, text by default. */
export function header(name: string, description: string, schema: TSchema = text): RouteParameter {
  return { in: 'header', name, description, schema }
}

/**
 * The paging parameters of OpenAI's lists.
 *
 * @param standard The default order.
 */
export function pageParameters(standard: 'asc' | 'desc'): readonly RouteParameter[] {
  return [
    inQuery('after', 'The last id of the previous page.'),
    inQuery('limit', 'Entries per page.', limitSchema),
    inQuery('order', '`asc`: oldest first; `desc`: newest first.', Type.Enum(['asc', 'desc'], { default: standard })),
  ]
}

/** Headers of routes that offer asynchronous mode. */
export const deferredHeaders: readonly RouteParameter[] = [
  header('X-Service-Async', '1 or true: return 202 with an address to poll. The setting `async-headers` adds names for this header.'),
  header('Prefer', '`respond-async` does the same as X-Service-Async: 1.'),
  header(
    'Idempotency-Key',
    'Asynchronous only: the same key and body within 24 hours return the same request.',
    Type.String({ maxLength: 255 }),
  ),
  header(
    'X-Service-Priority',
    'Asynchronous only: `low` requests start when no normal request waits.',
    Type.Enum(['normal', 'low'], { default: 'normal' }),
  ),
  header(
    'X-Service-Webhook',
    'Asynchronous only: an https address that receives a signed POST when the request is completed (Standard Webhooks, secret of GET /v1/webhooks/secrets).',
  ),
]

/** Requests previews while an image is drawn. */
export const previewHeader: RouteParameter = header('X-Service-Preview', 'Asynchronous only: 1 adds small previews to the events.')
