import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { isRecord } from '../../core/json-value.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { printPath } from '../../core/schema/describe-schema.ts'
import type { PicturePart } from '../../core/text-generation.ts'
import { Turns } from '../../core/turns.ts'
import { besides } from '../../core/waiting.ts'
import { isLate, silentMs } from '../answers/early-events.ts'
import { isOllamaSurface } from '../answers/surface.ts'
import { accountOf } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import { maxPictures, readPicture } from '../wire/chat/fields/picture-address.ts'
import { LatePictures } from './late-pictures.ts'
import { findPlaces, type Path, putPictures } from './picture-places.ts'
import type { ReceivedBody } from './read-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When its stream has to begin, by the steady time of the clock; absent = counted from when it has been read. */
    streamDueAt?: number
    /** Pictures that were still being fetched then. */
    latePictures?: LatePictures
  }
}

/**
 * Fetches a picture from an address that a client chose.
 *
 * @param options.onBytes Called with the bytes of each piece that arrives; what it throws ends the download.
 * @throws {ServiceError} `invalid_request_error` whose message is the end of a sentence about the address.
 */
export type FetchPicture = (
  address: string,
  options: { readonly onBytes: (count: number) => void; readonly signal: AbortSignal },
) => Promise<Uint8Array>

/** An address in a body. */
export interface FoundAddress {
  /** Its first place. */
  readonly path: Path
  readonly places: number
}

const webAddress = /^https?:\/\//i
/** Pictures fetched at once for one account: each takes a file descriptor, of which every account needs some. */
const atOnce = 8
/** Letters of base64 per byte. */
const base64Growth = 4 / 3

/**
 * Puts pictures in the place of the web addresses by which chats, Responses, Messages and Ollama's requests name them, so that handlers read all pictures alike.
 * The pictures of a request are fetched side by side; the first failure ends all of them. A stream begins after five seconds, without them.
 */
export class PictureFetcher {
  readonly #deps: { readonly fetchPicture: FetchPicture | null; readonly clock: Clock }
  readonly #turns = new Turns(atOnce)

  constructor(deps: { readonly fetchPicture: FetchPicture | null; readonly clock: Clock }) {
    this.#deps = deps
  }

  /**
   * @param received The request's body, which names these addresses.
   * @throws {ServiceError} `invalid_request_error` naming the setting where none is fetched, or what is wrong with the address.
   */
  async fetch(
    { request, reply, received }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly received: ReceivedBody },
    addresses: ReadonlyMap<string, FoundAddress>,
  ): Promise<void> {
    const { clock } = this.#deps
    const account = accountOf(request) ?? ''
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const signal = AbortSignal.any([clientSignal(reply), left.signal])
    const fetching = besides(signal, addresses, async ([address, { path, places }], either) => {
      using _turn = await this.#turns.take(account, { signal: either })
      const picture = await fetchOne(this.#deps, { received, path, address, signal: either })
      // Handlers read a repeated picture at each of its places, as if the body held it there.
      received.take(picture.base64.length * (places - 1))
      return [address, picture] as const
    }).then((pictures) => new Map(pictures))
    if (isStreamed(request, received)) {
      request.streamDueAt = clock.steadyNow() + silentMs
      if (await isLate(clock, fetching, request.streamDueAt)) {
        request.latePictures = new LatePictures(received.value, addresses.keys(), fetching)
        return
      }
    }
    request.body = { ...received, byteLength: received.byteLength + putPictures(received.value, await fetching) }
  }
}

/** Whether a request is answered by a stream. */
function isStreamed(request: FastifyRequest, { value, asyncMode }: ReceivedBody): boolean {
  if (asyncMode !== 'off' || !isRecord(value) || request.routeOptions.config.spends !== 'tokens') return false
  return value.background !== true && (value.stream ?? isOllamaSurface(request)) === true
}

/** The addresses in a body. @throws {ServiceError} if there are too many. */
export function findAddresses(body: unknown): ReadonlyMap<string, FoundAddress> {
  const found = new Map<string, FoundAddress>()
  for (const { address, path } of findPlaces(body)) {
    if (!webAddress.test(address)) continue
    const before = found.get(address)
    if (before === undefined && found.size >= maxPictures)
      throw refuse(path, `is one image too many: a request fetches at most ${maxPictures}.`)
    found.set(address, { path: before?.path ?? path, places: (before?.places ?? 0) + 1 })
  }
  return found
}

async function fetchOne(
  { fetchPicture }: { readonly fetchPicture: FetchPicture | null },
  { received, path, address, signal }: { received: ReceivedBody; path: Path; address: string; signal: AbortSignal },
): Promise<PicturePart> {
  if (fetchPicture === null)
    throw refuse(
      path,
      'is a web address, and this service fetches none (setting fetch-pictures): send the image itself, as data:image/png;base64,….',
    )
  const onBytes = (count: number): void => received.take(Math.ceil(count * base64Growth))
  const bytes = await fetchPicture(address, { onBytes, signal }).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_request_error') throw error
    throw refuse(path, error.message, error)
  })
  const picture = readPicture(Buffer.from(bytes).toString('base64'))
  if (picture === null) throw refuse(path, 'is not a PNG, JPEG, WebP or GIF file.')
  return picture
}

function refuse(path: Path, fault: string, cause?: unknown): ServiceError {
  const param = printPath(path)
  return new ServiceError('invalid_request_error', `\`${param}\` ${fault}`, { param, cause })
}
