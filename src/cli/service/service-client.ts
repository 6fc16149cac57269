import { createParser } from 'eventsource-parser'
import { isRecord, parseRecord } from '../../core/json-value.ts'
import { proxyFaultIn } from '../../core/outgoing/forward-proxies.ts'
import type { Login } from './login-file.ts'

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Sent as JSON; implies POST unless `method` is set. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Calls a running service with an access token. Every failure is an `Error` with the fix. */
export interface ServiceClient {
  readonly url: string
  /** Resolves to the JSON of a successful answer. */
  fetchJson<Answer>(path: string, call: Call): Promise<Answer>
  /** Events of a stream until it ends; closes it when the consumer stops. */
  watch(path: string, call: Call): AsyncGenerator<ServerEvent, void, undefined>
}

/** Creates a client for a service; sends nothing until the first call. */
export function createServiceClient({ url, token }: Login, { fetch }: { readonly fetch: typeof globalThis.fetch }): ServiceClient {
  const send = async (path: string, { method, body, headers, signal }: Call): Promise<Response> => {
    const init = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    } as const
    const response = await fetch(`${url}${path}`, init).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : unreachable(url, error)
    })
    if (response.ok) return response
    throw new Error(describeRefusal(url, response.status, await response.text()))
  }
  return {
    url,
    fetchJson: async (path, call) => {
      const text = await (await send(path, call)).text()
      try {
        return JSON.parse(text === '' ? '{}' : text)
      } catch {
        throw new Error(`The server at ${url} is not Sepia; correct the address with sepia login <url>.`)
      }
    },
    watch: async function* (path, call) {
      const { body } = await send(path, { ...call, headers: { accept: 'text/event-stream', ...call.headers } })
      if (body !== null) yield* readEvents(body)
    },
  }
}

function unreachable(url: string, error: unknown): Error {
  const fault = proxyFaultIn(error)
  if (fault !== null) return new Error(`${url} cannot be reached: ${fault.message}`)
  const { cause } = error instanceof Error ? error : {}
  const { code, message } = Object(cause)
  if (code === 'ECONNREFUSED')
    return new Error(`Nothing answers at ${url}; start the service with sepia serve, or use another one with sepia login <url>.`)
  return new Error(`${url} cannot be reached (${message ?? error}); correct the address with sepia login <url>.`)
}

function describeRefusal(url: string, status: number, text: string): string {
  const { message, code } = findError(text)
  if (message === undefined) return `${url} answered ${status}, not like Sepia; correct the address with sepia login <url>.`
  if (code === 'model_not_found')
    return `${message} To add a model, run sepia model pull <source> on the machine of the service; sepia model suggestions lists sources.`
  return status === 401 ? `${message} Run sepia login to store a new token.` : message
}

function findError(text: string): { readonly message?: string; readonly code?: unknown } {
  const error = parseRecord(text)?.error
  return isRecord(error) && typeof error.message === 'string' ? { message: error.message, code: error.code } : {}
}

/** A server-sent event: its name (default `message`) and data. */
export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/** Maximum length of an event in characters: several pictures in base64. */
const longestEvent = 256 * 1024 * 1024

/** Parses an event stream from chunks; ignores comments and unfinished events. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder()
  const events: ServerEvent[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => events.push({ name: event, data }),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw new Error('The service sent an event without an end.')
    },
    maxBufferSize: longestEvent,
  })
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }))
    yield* events.splice(0)
  }
}
