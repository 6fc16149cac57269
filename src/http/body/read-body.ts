import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { readAsyncMode } from '../headers/async-mode.ts'
import { asyncBodyLimitBytes, type HttpSettings } from '../http-settings.ts'
import { imageFaultCodes, textFaultCodes } from '../wire/faults/refuse-faults.ts'
import { deepestJson, nestsDeeperThan } from './json-nesting.ts'

/** A body sent with any other method means nothing and is not read. */
const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH']

/** A JSON body as it came in. */
export interface ReceivedBody {
  readonly bytes: Buffer
  readonly value: unknown
}

/**
 * Reads JSON bodies and refuses every other kind, counting bytes while they stream in.
 *
 * Handlers get a {@link ReceivedBody}.
 */
export function acceptJsonBodies(server: FastifyInstance, settings: Pick<HttpSettings, 'asyncHeaders' | 'bodyLimitBytes'>): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage): Promise<ReceivedBody | undefined> => {
    if (request.is404 || !methodsWithBody.includes(request.method)) return undefined
    checkMediaType(request)
    const deferred = readAsyncMode(request.headers, settings.asyncHeaders) !== 'off'
    const bytes = await readBytes(payload, request, deferred ? asyncBodyLimitBytes : settings.bodyLimitBytes)
    // Clients that name the type on every call also send it along with nothing.
    if (bytes.length === 0) return undefined
    checkNesting(request, bytes)
    return { bytes, value: parseJson(bytes) }
  })
}

/** @throws {ServiceError} `unsupported_media_type` when a request came without a body of its own kind. */
export function receivedBody(request: FastifyRequest): ReceivedBody {
  checkMediaType(request)
  const { body } = request
  if (typeof body === 'object' && body !== null && 'bytes' in body && body.bytes instanceof Buffer && 'value' in body)
    return { bytes: body.bytes, value: body.value }
  throw emptyBody()
}

function checkMediaType({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.', { param: 'content-encoding' })
  const type = (headers['content-type'] ?? '').split(';')[0] ?? ''
  if (type.trim().toLowerCase() !== 'application/json')
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.', {
      param: 'content-type',
    })
}

function readBytes(payload: IncomingMessage, { headers }: FastifyRequest, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(headers['content-length'] ?? 0) > limit) return reject(tooLarge(limit))
    const chunks: Buffer[] = []
    let size = 0
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      // Many clients read nothing before they have sent all: unless the rest is read and dropped, both sides wait for each other.
      else reject(tooLarge(limit))
    })
    payload.once('end', () => resolve(Buffer.concat(chunks)))
    payload.once('error', reject)
  })
}

function checkNesting({ routeOptions: { config } }: FastifyRequest, bytes: Buffer): void {
  if (!nestsDeeperThan(deepestJson, bytes)) return
  const { invalid } = config.spends === 'images' ? imageFaultCodes : textFaultCodes
  throw new ServiceError(invalid, `Send a body that nests at most ${deepestJson} levels deep; objects and lists in each other count.`)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(strictUtf8.decode(bytes))
  } catch (cause) {
    throw new ServiceError('invalid_json', 'Send a body that is valid JSON in UTF-8.', { cause })
  }
}

function emptyBody(): ServiceError {
  return new ServiceError('invalid_json', 'Send a JSON object as the body; it was empty.')
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('payload_too_large', `Send at most ${limit} bytes; larger inputs do not fit into one request.`)
}
