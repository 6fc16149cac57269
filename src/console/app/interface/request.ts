import { withBase } from '../browser/base-path.ts'
import { t } from '../language/t.ts'
import { Patience, patienceMs } from './patience.ts'
import { readServiceClock } from './service-clock.ts'

/** An error from the service, or a failure to reach it. */
export class RequestFailure extends Error {
  readonly status: number
  readonly code: string
  /** The id in the service's log; null when there was no answer. */
  readonly requestId: string | null
  /** The invalid field of the request, or null. */
  readonly field: string | null

  /** @param cause The cause; only owners get it. */
  constructor(status: number, code: string, message: string, requestId: string | null = null, cause?: string, field: string | null = null) {
    super(message, { cause })
    this.name = 'RequestFailure'
    this.status = status
    this.code = code
    this.requestId = requestId
    this.field = field
  }

  /** Whether the connection failed: no answer, or one from a proxy that could not reach the service. */
  get isConnectionLost(): boolean {
    return [0, 502, 503, 504].includes(this.status)
  }
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON, except for a file or a part of one. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Whether it is sent even if the page is closed; only for small bodies. */
  readonly outlivesPage?: boolean
  /** Whether the answer begins only after long work; all other requests are aborted after a silence. */
  readonly waitsForWork?: boolean
}

/**
 * Sends a request to the service of this page.
 *
 * @throws {RequestFailure} with the service's own message, `unreachable` when there was no answer, or `unanswered` when none began in time.
 */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const patience = patienceFor(options)
  return await sendPatiently(path, options, patience).finally(() => patience.end())
}

/**
 * Like {@link send}, and parses the answer's JSON. Console and service are built from one tree, so its shape is trusted.
 *
 * @throws {RequestFailure} also `cut_off` when the answer broke off, and `not_the_service` when something else answered.
 */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const text = await (await requestFile(path, options)).text()
  try {
    return JSON.parse(text) as Answer
  } catch {
    throw new RequestFailure(0, 'not_the_service', t`The answer didn’t come from Sepia. Check the proxy in between.`)
  }
}

/**
 * Like {@link send}, and reads the whole answer.
 *
 * @throws {RequestFailure} also `cut_off` when it broke off.
 */
export async function requestFile(path: string, options: RequestOptions = {}): Promise<Blob> {
  const patience = patienceFor(options)
  return await sendPatiently(path, options, patience)
    .then((response) => readWhole(response, { patience, signal: options.signal }))
    .finally(() => patience.end())
}

function patienceFor({ body, signal, waitsForWork = false }: RequestOptions): Patience {
  return new Patience(signal, waitsForWork ? Number.POSITIVE_INFINITY : sizeOf(body))
}

function sizeOf(body: unknown): number {
  if (body instanceof Blob) return body.size
  return body === undefined ? 0 : JSON.stringify(body).length
}

/** Replaces halves of surrogate pairs, which the service rejects. Pasted texts contain them when they were cut inside an emoji. */
function wholeCharacters(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value
}

async function sendPatiently(path: string, options: RequestOptions, patience: Patience): Promise<Response> {
  const init: RequestInit = { method: options.method ?? 'GET', headers: { ...options.headers }, credentials: 'same-origin' }
  init.signal = patience.signal
  if (options.outlivesPage) init.keepalive = true
  if (options.body instanceof Blob) init.body = options.body
  else if (options.body !== undefined) {
    init.body = JSON.stringify(options.body, wholeCharacters)
    init.headers = { ...options.headers, 'content-type': 'application/json' }
  }
  const response = await fetch(withBase(path), init).catch((error: unknown) => {
    if (options.signal?.aborted) throw error
    if (patience.isOver) throw unanswered()
    throw new RequestFailure(0, 'unreachable', t`The server isn’t responding. Check that it’s running, then try again.`)
  })
  // Pictures and files may come from the browser's own store, with the date of then.
  if (path.startsWith('/console/api/')) readServiceClock(response)
  if (!response.ok) throw await readFailure(response)
  return response
}

/** Reads a whole answer for as long as data keeps arriving. */
async function readWhole(
  response: Response,
  { patience, signal }: { readonly patience: Patience; readonly signal: AbortSignal | undefined },
): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body?.getReader()
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      parts.push(read.value)
      patience.onData()
    }
  } catch (error) {
    if (signal?.aborted) throw error
    throw patience.isOver ? unanswered() : new RequestFailure(0, 'cut_off', t`The answer was cut off. Try again.`)
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' })
}

function unanswered(): RequestFailure {
  return new RequestFailure(
    0,
    'unanswered',
    t`The service hasn’t responded for ${patienceMs / 1000} seconds. Check what it has done, then try again.`,
  )
}

async function readFailure(response: Response): Promise<RequestFailure> {
  const body = (await response.json().catch(() => null)) as {
    error?: { code?: string; message?: string; cause?: string; param?: string | null }
  } | null
  return new RequestFailure(
    response.status,
    body?.error?.code ?? 'unknown',
    body?.error?.message ?? t`The service answered ${response.status}. Try again; if it happens again, check its log.`,
    response.headers.get('x-request-id'),
    body?.error?.cause,
    body?.error?.param ?? null,
  )
}

/** A message for anything thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof RequestFailure ? error.message : t`The console failed. Reload the page and try again.`
}

/** The language of {@link sentenceOf} if it differs from the page's: the service's messages are English. */
export function languageOf(error: unknown): 'en' | undefined {
  return error instanceof RequestFailure && error.status !== 0 && error.code !== 'unknown' ? 'en' : undefined
}

/** Whether an error is only a lost connection, so that a retry may help. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof RequestFailure && error.isConnectionLost
}

/** Whether nothing answered at all. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof RequestFailure && error.code === 'unreachable'
}

/** The id of a failure in the service's log; null if the log has no further information, because the request itself is invalid. */
export function requestIdOf(error: unknown): string | null {
  if (!(error instanceof RequestFailure) || (error.status >= 400 && error.status < 500)) return null
  return error.requestId
}

/** Whether what the request is about no longer exists. */
export function isGone(error: unknown): boolean {
  return error instanceof RequestFailure && error.status === 404
}

/** The fault of one field of the request, or null. */
export function faultOf(error: unknown, field: string): string | null {
  return error instanceof RequestFailure && error.field === field ? error.message : null
}

/** The cause; null except for owners. */
export function causeOf(error: unknown): string | null {
  return error instanceof RequestFailure && typeof error.cause === 'string' ? error.cause : null
}
