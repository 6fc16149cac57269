import { setTimeout as wait } from 'node:timers/promises'
import type { Abortable } from '../../../core/waiting.ts'
import { parseJson } from '../parse-json.ts'
import type { UpstreamConnection } from '../upstream-connection.ts'
import { makeBrokenError } from '../upstream-error.ts'

/** Maximum bytes of one response. Pictures of 2048 × 2048 stay far below, and parsing this much blocks nobody for long. */
const mostBytes = 64 * 1024 * 1024
/** Milliseconds between two looks at a drawing. */
const usualPollMs = 500
/** Maximum duration of a cancellation call, in milliseconds. */
const defaultCancelTimeoutMs = 5000

interface PostOptions extends Abortable {
  /** The work that the call starts: a picture, returned in the response, or a job, drawn after it; absent = none. */
  readonly makes?: 'picture' | 'job'
}

/** HTTP calls to one server, with JSON or binary responses. */
export class ServerCalls {
  readonly #connection: UpstreamConnection
  readonly #pollMs: number
  readonly #cancelTimeoutMs: number

  constructor(
    connection: UpstreamConnection,
    {
      pollMs = usualPollMs,
      cancelTimeoutMs = defaultCancelTimeoutMs,
    }: { readonly pollMs?: number | undefined; readonly cancelTimeoutMs?: number | undefined } = {},
  ) {
    this.#connection = connection
    this.#pollMs = pollMs
    this.#cancelTimeoutMs = cancelTimeoutMs
  }

  bytes(path: string, { signal }: Abortable): Promise<Buffer> {
    return this.#connection.exchange(path, null, { signal, mostBytes, isDueAtOnce: true })
  }

  /** @throws {ServiceError} `inference_failed` if the response is not JSON. */
  async get(path: string, { signal }: Abortable): Promise<unknown> {
    return parse(await this.bytes(path, { signal }))
  }

  /** @throws {ServiceError} `inference_failed` if the response is not JSON. */
  async post(path: string, body: unknown, { signal, makes }: PostOptions): Promise<unknown> {
    const sent = { type: 'application/json', bytes: JSON.stringify(body) }
    return parse(
      await this.#connection.exchange(path, sent, {
        signal,
        mostBytes,
        isDueAtOnce: makes !== 'picture',
        isRepeatable: makes === undefined,
      }),
    )
  }

  /** Posts a form with files. */
  async postForm(path: string, form: FormData, { signal }: Abortable): Promise<unknown> {
    const encoded = new Response(form)
    const bytes = new Uint8Array(await encoded.arrayBuffer())
    const sent = { type: encoded.headers.get('content-type') ?? 'multipart/form-data', bytes }
    return parse(await this.#connection.exchange(path, sent, { signal, mostBytes, isDueAtOnce: true }))
  }

  /** Notifies the server after the client has disconnected, for a few seconds at most. Failures are ignored. */
  async farewell(work: (options: Abortable) => Promise<unknown>): Promise<void> {
    await work({ signal: AbortSignal.timeout(this.#cancelTimeoutMs) }).catch(() => undefined)
  }

  /** Waits until the next poll is due. */
  async pause({ signal }: Abortable): Promise<void> {
    await wait(this.#pollMs, undefined, { signal }).catch(() => undefined)
    signal.throwIfAborted()
  }
}

function parse(body: Buffer): unknown {
  if (body.length === 0) return null
  try {
    return parseJson(body.toString('utf8'))
  } catch (cause) {
    throw makeBrokenError('sent something other than JSON; `url` in its model.json may point to another server', cause)
  }
}
