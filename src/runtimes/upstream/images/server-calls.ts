import { setTimeout as wait } from 'node:timers/promises'
import { parseJson } from '../parse-json.ts'
import type { UpstreamConnection } from '../upstream-connection.ts'
import { makeBrokenError } from '../upstream-error.ts'

/** Bytes of one answer; pictures of 2048 × 2048 stay far below, and what is parsed here holds up nobody for long. */
const mostBytes = 64 * 1024 * 1024
/** Milliseconds between two looks at a drawing. */
const usualPollMs = 500
/** How long telling a server to stop may take, in milliseconds. */
const usualFarewellMs = 5000

interface CallOptions {
  readonly signal: AbortSignal
}

interface PostOptions extends CallOptions {
  /** What it makes there: a picture, with which the answer comes, or a job, which is drawn after it; absent = nothing. */
  readonly makes?: 'picture' | 'job'
}

/** Calls of one server, answered in JSON or bytes. */
export class ServerCalls {
  readonly #connection: UpstreamConnection
  readonly #pollMs: number
  readonly #farewellMs: number

  constructor(
    connection: UpstreamConnection,
    { pollMs = usualPollMs, farewellMs = usualFarewellMs }: { readonly pollMs?: number; readonly farewellMs?: number } = {},
  ) {
    this.#connection = connection
    this.#pollMs = pollMs
    this.#farewellMs = farewellMs
  }

  bytes(path: string, { signal }: CallOptions): Promise<Buffer> {
    return this.#connection.exchange(path, null, { signal, mostBytes, isDueAtOnce: true, isRepeatable: true })
  }

  /** @throws {ServiceError} `inference_failed` for an answer that is no JSON. */
  async get(path: string, { signal }: CallOptions): Promise<unknown> {
    return parse(await this.bytes(path, { signal }))
  }

  /** @throws {ServiceError} `inference_failed` for an answer that is no JSON. */
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
  async postForm(path: string, form: FormData, { signal }: CallOptions): Promise<unknown> {
    const encoded = new Response(form)
    const bytes = new Uint8Array(await encoded.arrayBuffer())
    const sent = { type: encoded.headers.get('content-type') ?? 'multipart/form-data', bytes }
    return parse(await this.#connection.exchange(path, sent, { signal, mostBytes, isDueAtOnce: true, isRepeatable: true }))
  }

  /** Tells the server something when its client has gone, for a few seconds at most; no caller is left for a failure. */
  async farewell(work: (options: CallOptions) => Promise<unknown>): Promise<void> {
    await work({ signal: AbortSignal.timeout(this.#farewellMs) }).catch(() => undefined)
  }

  /** Waits until it is time to look again. */
  async pause({ signal }: CallOptions): Promise<void> {
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
