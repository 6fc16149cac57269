import { createHmac } from 'node:crypto'
import { type Agent, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { useAgent } from 'request-filtering-agent'
import { answerTo, limitInterimResponses, noFinalResponse } from '../core/outgoing/client-requests.ts'
import { lookUpName } from './look-up-name.ts'
import type { DeliveryResult } from './webhook-places.ts'

/** Error codes of unresolvable names. */
const unresolved = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'ENODATA', 'ESERVFAIL'])
/** Time limit for a receiver. */
const timeoutMs = 15_000

export interface WebhookPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Posts to a client-chosen URL. The resolved IP address is checked when connecting, so that no name can lead to a loopback, private,
 * link-local or metadata address; redirects are not followed.
 *
 * @param settings.privateTargets Allows every address.
 * @param settings.nameServers Absent = the system's name servers.
 */
export async function postWebhook(
  { url, headers, body }: WebhookPost,
  {
    signal,
    privateTargets,
    nameServers,
  }: { readonly signal: AbortSignal; readonly privateTargets: boolean; readonly nameServers?: readonly string[] },
): Promise<DeliveryResult> {
  // The library's types are older than Node's; both agents are subclasses of Node's.
  const agent: Agent = useAgent(url, { keepAlive: false, allowPrivateIPAddress: privateTargets, allowMetaIPAddress: privateTargets })
  const send = url.startsWith('https:') ? requestSecure : requestPlain
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const request = send(url, {
      method: 'POST',
      agent,
      signal: bounded,
      // Private names may be defined in a file on this machine only.
      ...(!privateTargets && { lookup: lookUpName({ signal: bounded, ...(nameServers && { servers: nameServers }) }) }),
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    limitInterimResponses(request)
    request.end(body)
    const response = await answerTo<IncomingMessage>(request)
    response.destroy()
    return { status: response.statusCode ?? 0 }
  } catch (error) {
    signal.throwIfAborted()
    return { reason: bounded.aborted ? 'timeout' : describe(error) }
  } finally {
    agent.destroy()
  }
}

function describe(error: unknown): string {
  if (error === noFinalResponse) return 'no final answer'
  if (!(error instanceof Error)) return 'failed'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'failed'
  // Different errors would reveal which names exist in the operator's network.
  return /is not allowed/.test(error.message) || unresolved.has(code) ? 'no public address' : code
}

/**
 * Signs a message according to Standard Webhooks, once per secret.
 *
 * @param secrets Each `whsec_` and base64.
 * @param timestamp Unix seconds.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook(
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const sign = (secret: string) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': secrets.map(sign).join(' ') }
}
