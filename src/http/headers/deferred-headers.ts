import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerPlace } from '../../core/chat/conversation.ts'
import { ServiceError } from '../../core/error.ts'
import type { Priority } from '../../core/inference.ts'
import { isPrivateHost } from './private-host.ts'

/** Options of a deferred request, from its headers. */
export interface DeferredHandling {
  readonly priority: Priority
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  readonly webhookUrl: string | null
  readonly previews: boolean
}

/** Headers that only deferred requests support. */
const deferredOnly = ['x-service-webhook', 'x-service-priority', 'x-service-preview', 'x-service-turn', 'idempotency-key'] as const

/**
 * @param body Exact bytes of the body: the same key with other bytes is a conflict.
 * @throws {ServiceError} `invalid_request_error` naming the header.
 */
export function readDeferredHandling(
  headers: IncomingHttpHeaders,
  { route, body, privateWebhooks }: { readonly route: string; readonly body: Uint8Array; readonly privateWebhooks: boolean },
): DeferredHandling {
  return {
    priority: readPriority(headerOf(headers, 'x-service-priority')),
    idempotency: readIdempotency(headerOf(headers, 'idempotency-key'), route, body),
    webhookUrl: readWebhook(headerOf(headers, 'x-service-webhook'), privateWebhooks),
    previews: readSwitch(headerOf(headers, 'x-service-preview'), 'X-Service-Preview'),
  }
}

/**
 * The console's message that a chat answers into: `<conversation>/<message>`, optionally with the previous message.
 *
 * @throws {ServiceError} `invalid_request_error` naming the header.
 */
export function readAnswerPlace(headers: IncomingHttpHeaders): AnswerPlace | null {
  const text = headerOf(headers, 'x-service-turn')
  if (text === undefined) return null
  const [, conversation, turn, parent = null] = /^([a-z0-9]{24})\/([a-z0-9]{24})(?:\/([a-z0-9]{24}))?$/.exec(text) ?? []
  if (conversation === undefined || turn === undefined)
    throw refusal('x-service-turn', 'Leave the header X-Service-Turn out; only the console sends it.')
  return { conversation, turn, parent }
}

/** @throws {ServiceError} `invalid_request_error` when a synchronous request carries a header that would have no effect. */
export function refuseDeferredHeaders(headers: IncomingHttpHeaders): void {
  const found = deferredOnly.find((name) => headerOf(headers, name) !== undefined)
  if (found === undefined) return
  throw refusal(found, `The header ${found} needs asynchronous mode: add X-Service-Async: 1, or leave it out.`)
}

function readPriority(value: string | undefined): Priority {
  if (value === undefined || value === 'normal') return 'normal'
  if (value === 'low') return 'low'
  throw refusal('x-service-priority', 'Set the header X-Service-Priority to low or normal.')
}

function readIdempotency(key: string | undefined, route: string, body: Uint8Array): DeferredHandling['idempotency'] {
  if (key === undefined) return null
  if (key.length > 255) throw refusal('idempotency-key', 'Use an Idempotency-Key of at most 255 characters.')
  return { key, fingerprint: createHash('sha256').update(route).update('\n').update(body).digest('hex') }
}

function readWebhook(value: string | undefined, privateWebhooks: boolean): string | null {
  if (value === undefined) return null
  const url = URL.canParse(value) && value.length <= 2048 ? new URL(value) : null
  const schemes = privateWebhooks ? ['https:', 'http:'] : ['https:']
  if (url === null || !schemes.includes(url.protocol) || url.username !== '' || url.password !== '')
    throw refusal(
      'x-service-webhook',
      'Set the header X-Service-Webhook to an https:// address of at most 2048 characters, without a password.',
    )
  if (!privateWebhooks && isPrivateHost(url.hostname))
    throw refusal(
      'x-service-webhook',
      'Set the header X-Service-Webhook to a public address; this one is in a private network, which the setting webhook-private-targets would allow.',
    )
  return url.href
}

function readSwitch(value: string | undefined, name: string): boolean {
  if (value === undefined || value === '0' || value === 'false') return false
  if (value === '1' || value === 'true') return true
  throw refusal(name.toLowerCase(), `Set the header ${name} to 1, or leave it out.`)
}

/** A header's value; undefined when absent or empty. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const text = String(headers[name] ?? '').trim()
  return text === '' ? undefined : text
}

function refusal(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request_error', message, { param })
}
