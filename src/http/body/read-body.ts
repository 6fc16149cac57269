import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { filePartBytes } from '../../core/files/stored-file.ts'
import { isRecord } from '../../core/json-value.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { AnswerDeadline } from '../answers/answer-deadline.ts'
import { isOllamaSurface } from '../answers/surface.ts'
import { captureOf } from '../body-log.ts'
import { accountOf } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import { type FaultCodes, imageFaultCodes, textFaultCodes } from '../faults/refuse-faults.ts'
import { type AsyncMode, readAsyncMode, refuseAsyncMode } from '../headers/async-mode.ts'
import { asyncBodyLimitBytes, fileLimitBytes, type HttpSettings, smallBodyLimitBytes } from '../http-settings.ts'
import { BodyBudget } from '../limits/body-budget.ts'
import { clientAddress } from '../limits/client-address.ts'
import { limitPerTurn } from '../limits/limit-per-turn.ts'
import { BodyParser } from './body-parser.ts'
import { collectBody } from './collect-body.ts'
import { tooLarge } from './counted-body.ts'
import { inviteBody } from './discarded-bodies.ts'
import { notForm, ReceivedForm } from './form/received-form.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route takes bodies up to the configured limit although it runs no model. */
    readonly largeBody?: boolean | undefined
    /** Whether a body is read for a method other than POST, PUT and PATCH. */
    readonly hasBody?: true | undefined
  }
  interface FastifyRequest {
    /** The reply, set when the head has arrived; Fastify does not pass it to body parsers. */
    answeredBy?: FastifyReply
  }
}

/** Bytes of large bodies that are read in one turn of the event loop. */
const bytesPerTurn = 256 * 1024

/** Memory of a form whose files are stored as they arrive, whatever its length. */
const storedFormBytes = 2 * filePartBytes

/** A body of any other method has no meaning and is not read, except on routes that declare one. */
const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH']

/** A received JSON body. */
export interface ReceivedBody {
  /** The raw text; empty unless the request is deferred, because only then it is stored. */
  readonly bytes: Buffer
  readonly byteLength: number
  readonly value: unknown
  /** Counts bytes fetched for the body towards its limit and its caller's share. @throws {ServiceError} as reading the body does. */
  readonly take: (bytes: number) => void
  /** Whether its headers request asynchronous mode; `off` on routes that run no model. */
  readonly asyncMode: AsyncMode
}

interface BodyDependencies {
  readonly clock: Clock
  readonly deadline: Pick<AnswerDeadline, 'leaveOutBody'>
}

/**
 * Reads JSON bodies, or forms on routes that take those, and refuses every other kind.
 *
 * Bytes are counted as they arrive, against the route's limit and against the memory that the caller (or its address) may use at once.
 * Handlers get a {@link ReceivedBody}, or a {@link ReceivedForm} that they read themselves.
 */
export function acceptJsonBodies(
  server: FastifyInstance,
  { clock, deadline }: BodyDependencies,
  { requests, bodyMemory }: Pick<HttpSettings, 'requests' | 'bodyMemory'>,
): void {
  const parser = new BodyParser(Math.max(requests.bodyLimitBytes, asyncBodyLimitBytes))
  const budget = new BodyBudget(bodyMemory)
  const takeTurn = limitPerTurn(bytesPerTurn)
  server.addHook('onClose', () => parser[Symbol.asyncDispose]())
  server.removeAllContentTypeParsers()
  type Received = ReceivedBody | ReceivedForm | undefined
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage): Promise<Received> => {
    const { answeredBy: reply } = request
    const { hasBody = methodsWithBody.includes(request.method) } = request.routeOptions.config
    if (reply === undefined || request.is404 || !hasBody) return undefined
    checkMediaType(request)
    // On a closed connection, neither the end of the body nor that of the answer is ever reported.
    clientSignal(reply).throwIfAborted()
    const owner = accountOf(request) ?? clientAddress(request.ip)
    const asyncMode = worksOnModel(request) ? readAsyncMode(request.headers, requests.asyncHeaders) : 'off'
    const limitBytes = limitOf(request, asyncMode, requests)
    const length = Number(request.headers['content-length'] ?? 0)
    const held = request.routeOptions.config.form === 'stored' ? storedFormBytes : length
    const allowance = budget.open(owner, length <= limitBytes ? held : 0)
    // The body stays in memory until the answer is sent.
    reply.raw.on('close', () => allowance[Symbol.dispose]())
    deadline.leaveOutBody(reply)
    if (length <= limitBytes) inviteBody(reply)
    const guards = { limitBytes, allowance, clock, takeTurn }
    const { form } = request.routeOptions.config
    if (form === 'stored') return new ReceivedForm(payload, { ...guards, allowance: { ...allowance, take: () => {} } })
    if (form === 'memory') {
      refuseAsyncMode(request.headers, asyncMode)
      return new ReceivedForm(payload, { ...guards, onPiece: (piece) => captureOf(request)?.add('request', piece) })
    }
    const bytes = await collectBody(payload, guards)
    // Some clients send this content type with every call, even without a body.
    if (bytes.length === 0) return undefined
    const { length: byteLength } = bytes
    captureOf(request)?.add('request', bytes)
    const keepBytes = asyncMode !== 'off'
    const startsText = request.routeOptions.config.spends === 'tokens'
    const parsed = await parser.parse(bytes, {
      owner,
      tooDeep: codesOf(request).invalid,
      keepBytes,
      startsText,
      signal: clientSignal(reply),
    })
    let whole = byteLength
    const take = (count: number): void => {
      whole += count
      if (whole > limitBytes) throw tooLarge(limitBytes)
      allowance.take(count)
    }
    return { ...parsed, byteLength, asyncMode, take }
  })
}

/** @throws {ServiceError} `unsupported_media_type` when a request came without a JSON body. */
export function receivedBody(request: FastifyRequest): ReceivedBody {
  checkMediaType(request)
  const { body } = request
  if (isReceived(body)) return body
  throw emptyBody()
}

/**
 * A body for a route that cannot answer later. A `Prefer: respond-async` is ignored, as the standard allows.
 *
 * @throws {ServiceError} the errors of {@link receivedBody}, and `unsupported_parameter` when a header demands asynchronous mode.
 */
export function synchronousBody(request: FastifyRequest): ReceivedBody {
  const body = receivedBody(request)
  refuseAsyncMode(request.headers, body.asyncMode)
  return body
}

/** Whether a body is a {@link ReceivedBody}, not a form. */
export function isReceived(body: unknown): body is ReceivedBody {
  return isRecord(body) && body.bytes instanceof Buffer && 'value' in body && 'asyncMode' in body
}

/**
 * Ollama reads every body as JSON, and its documentation leaves out the content type, so that curl sends this one. Pages of other sites may
 * send such bodies too, but without a token.
 */
const curlType = 'application/x-www-form-urlencoded'

function checkMediaType(request: FastifyRequest): void {
  const {
    headers,
    routeOptions: { config },
  } = request
  refuseCompressed(headers)
  const type = ((headers['content-type'] ?? '').split(';')[0] ?? '').trim().toLowerCase()
  if (config.form !== undefined && type !== 'multipart/form-data') throw notForm()
  if (config.form === undefined && type !== 'application/json' && !(type === curlType && isOllamaSurface(request)))
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.', {
      param: 'content-type',
    })
}

/** Only routes that run a model need large bodies and can answer later; bodies of the others are small. */
function worksOnModel({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.spends !== undefined || config.largeBody === true
}

function limitOf(request: FastifyRequest, mode: AsyncMode, { bodyLimitBytes }: HttpSettings['requests']): number {
  if (request.routeOptions.config.form === 'stored') return fileLimitBytes
  if (!worksOnModel(request)) return smallBodyLimitBytes
  return mode === 'off' ? bodyLimitBytes : asyncBodyLimitBytes
}

function codesOf({ routeOptions: { config } }: FastifyRequest): FaultCodes {
  return config.spends === 'images' ? imageFaultCodes : textFaultCodes
}

function emptyBody(): ServiceError {
  return new ServiceError('invalid_json', 'Send a JSON object as the body; it was empty.')
}

/**
 * Refuses a compressed body: nothing here decompresses one.
 *
 * @throws {ServiceError} `unsupported_media_type`
 */
export function refuseCompressed({ 'content-encoding': content, 'transfer-encoding': transfer }: IncomingHttpHeaders): void {
  if (content !== undefined && content !== '' && content.toLowerCase() !== 'identity')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.', { param: 'content-encoding' })
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed: the only allowed Transfer-Encoding is chunked.', {
      param: 'transfer-encoding',
    })
}
