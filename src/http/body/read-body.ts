import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { filePartBytes } from '../../core/files/stored-file.ts'
import { isRecord } from '../../core/json-value.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { isOllamaSurface } from '../answers/surface.ts'
import { captureOf } from '../body-log.ts'
import { accountOf } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import { type FaultCodes, imageFaultCodes, textFaultCodes } from '../faults/refuse-faults.ts'
import { type AsyncMode, readAsyncMode, refuseAsyncMode } from '../headers/async-mode.ts'
import { asyncBodyLimitBytes, fileLimitBytes, type HttpSettings, smallBodyLimitBytes } from '../http-settings.ts'
import { BodyBudget } from '../limits/body-budget.ts'
import { clientAddress } from '../limits/client-address.ts'
import { fewPerTurn } from '../limits/few-per-turn.ts'
import { BodyParser } from './body-parser.ts'
import { collectBody } from './collect-body.ts'
import { noForm, ReceivedForm } from './form/received-form.ts'
import { refuseCompressed } from './refuse-compressed.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a route takes bodies up to the setting's limit though it spends nothing. */
    readonly largeBody?: boolean
    /** Whether a body is read though the method is another than POST, PUT or PATCH; absent = by the method. */
    readonly hasBody?: true
  }
  interface FastifyRequest {
    /** The answer to it, which a body parser does not get otherwise. */
    answeredBy?: FastifyReply
  }
}

/** Bytes of large bodies that are read in one turn of the event loop. */
const bytesPerTurn = 256 * 1024

/** A form whose files are stored as they come in: the bytes of it that are in memory, whatever its length. */
const storedFormBytes = 2 * filePartBytes

/** A body sent with any other method means nothing and is not read, but where a route has one. */
const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH']

/** A JSON body as it came in. */
export interface ReceivedBody {
  /** Empty unless the request is deferred: only then is its text stored, and a large one need not lie beside its value. */
  readonly bytes: Buffer
  readonly byteLength: number
  readonly value: unknown
  /** How its headers ask for it to be answered; `off` where a route does no work on a model. */
  readonly asyncMode: AsyncMode
}

/**
 * Reads JSON bodies, where a route takes forms those, and refuses every other kind. Bytes are counted while they stream in, against the route's limit and against what the
 * caller, or else the address, may have in the service at once.
 *
 * Handlers get a {@link ReceivedBody}, or a {@link ReceivedForm} that they read themselves.
 */
export function acceptJsonBodies(
  server: FastifyInstance,
  { clock }: { readonly clock: Clock },
  settings: Pick<HttpSettings, 'asyncHeaders' | 'bodyLimitBytes' | 'bodyMemory'>,
): void {
  const parser = new BodyParser(Math.max(settings.bodyLimitBytes, asyncBodyLimitBytes))
  const budget = new BodyBudget(settings.bodyMemory)
  const takeTurn = fewPerTurn(bytesPerTurn)
  server.addHook('onClose', () => parser[Symbol.asyncDispose]())
  server.addHook('preParsing', (request, reply, _payload, done) => {
    request.answeredBy = reply
    done()
  })
  server.removeAllContentTypeParsers()
  type Received = ReceivedBody | ReceivedForm | undefined
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage): Promise<Received> => {
    const { answeredBy: reply } = request
    const { hasBody = methodsWithBody.includes(request.method) } = request.routeOptions.config
    if (reply === undefined || request.is404 || !hasBody) return undefined
    checkMediaType(request)
    // Of a connection that is gone neither the end of the body nor that of the answer is ever reported.
    clientSignal(reply).throwIfAborted()
    const owner = accountOf(request) ?? clientAddress(request.ip)
    const asyncMode = worksOnModel(request) ? readAsyncMode(request.headers, settings.asyncHeaders) : 'off'
    const limitBytes = limitOf(request, asyncMode, settings)
    const length = Number(request.headers['content-length'] ?? 0)
    const held = request.routeOptions.config.form === 'stored' ? storedFormBytes : length
    const allowance = budget.open(owner, length <= limitBytes ? held : 0)
    // What was read stays in memory until the answer is out.
    reply.raw.on('close', () => allowance[Symbol.dispose]())
    const guards = { limitBytes, allowance, clock, takeTurn }
    const { form } = request.routeOptions.config
    if (form === 'stored') return new ReceivedForm(payload, { ...guards, allowance: { ...allowance, take: () => {} } })
    if (form === 'memory') {
      refuseAsyncMode(request.headers, asyncMode)
      return new ReceivedForm(payload, { ...guards, onPiece: (piece) => captureOf(request)?.add('request', piece) })
    }
    const bytes = await collectBody(payload, guards)
    // Clients that name the type on every call also send it along with nothing.
    if (bytes.length === 0) return undefined
    const { length: byteLength } = bytes
    captureOf(request)?.add('request', bytes)
    const keepBytes = asyncMode !== 'off'
    const parsed = await parser.parse(bytes, { owner, tooDeep: codesOf(request).invalid, keepBytes, signal: clientSignal(reply) })
    return { ...parsed, byteLength, asyncMode }
  })
}

/** @throws {ServiceError} `unsupported_media_type` when a request came without a body of its own kind. */
export function receivedBody(request: FastifyRequest): ReceivedBody {
  checkMediaType(request)
  const { body } = request
  if (isReceived(body)) return body
  throw emptyBody()
}

/**
 * A body for a route that cannot answer later. The preference for it is only a preference and may be passed over.
 *
 * @throws {ServiceError} what {@link receivedBody} throws, and `unsupported_parameter` when a header demands asynchronous mode.
 */
export function synchronousBody(request: FastifyRequest): ReceivedBody {
  const body = receivedBody(request)
  refuseAsyncMode(request.headers, body.asyncMode)
  return body
}

/** Whether a body is a {@link ReceivedBody}. */
export function isReceived(body: unknown): body is ReceivedBody {
  return isRecord(body) && body.bytes instanceof Buffer && 'value' in body && 'asyncMode' in body
}

/** Ollama reads a body as JSON whatever its type, and its documentation leaves out what curl then calls a form. Pages elsewhere may send forms too, but without a token. */
const curlType = 'application/x-www-form-urlencoded'

function checkMediaType(request: FastifyRequest): void {
  const {
    headers,
    routeOptions: { config },
  } = request
  refuseCompressed(headers)
  const type = ((headers['content-type'] ?? '').split(';')[0] ?? '').trim().toLowerCase()
  if (config.form !== undefined && type !== 'multipart/form-data') throw noForm()
  if (config.form === undefined && type !== 'application/json' && !(type === curlType && isOllamaSurface(request)))
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.', {
      param: 'content-type',
    })
}

/** Only work on a model needs large bodies, and may be answered later; of the other routes each takes a few fields. */
function worksOnModel({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.spends !== undefined || config.largeBody === true
}

function limitOf(request: FastifyRequest, mode: AsyncMode, { bodyLimitBytes }: Pick<HttpSettings, 'bodyLimitBytes'>): number {
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
