import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { isRecord } from '../../core/json-value.ts'
import { printPath } from '../../core/schema/describe-schema.ts'
import type { PicturePart } from '../../core/text-generation.ts'
import { Turns } from '../../core/turns.ts'
import { besides } from '../../core/waiting.ts'
import { accountOf } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import { maxPictures, readPicture } from '../wire/chat/fields/picture-address.ts'
import { isReceived, type ReceivedBody } from './read-body.ts'

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

type Path = readonly (string | number)[]
type Fields = Record<string, unknown>

/** A place in a body where a picture is named by its address. */
interface Place {
  readonly address: string
  readonly path: Path
  /** Puts the picture there. */
  readonly put: (picture: PicturePart) => void
}

const webAddress = /^https?:\/\//i
/** Pictures fetched at once for one account: each takes a file descriptor, of which every account needs some. */
const atOnce = 8
/** Letters of base64 per byte. */
const base64Growth = 4 / 3

/**
 * Puts pictures in the place of the web addresses by which chats, Responses, Messages and Ollama's requests name them, so that handlers read all pictures alike.
 * The pictures of a request are fetched side by side; the first failure ends all of them.
 *
 * @throws {ServiceError} `invalid_request_error` naming the setting where none is fetched, or what is wrong with the address.
 */
export function fetchPictures(api: FastifyInstance, deps: { readonly fetchPicture: FetchPicture | null }): void {
  const turns = new Turns(atOnce)
  api.addHook('preHandler', async (request, reply) => {
    const { body: received } = request
    const { model } = request.routeOptions.config
    if (!isReceived(received) || model === undefined || model === 'drawing') return
    const account = accountOf(request) ?? ''
    const pictures = await besides(clientSignal(reply), findAddresses(received.value), async ([address, path], signal) => {
      using _turn = await turns.take(account, { signal })
      return [address, await fetchOne(deps, { received, path, address, signal })] as const
    })
    if (pictures.length > 0) request.body = { ...received, byteLength: received.byteLength + putAll(received, new Map(pictures)) }
  })
}

/** The addresses in a body, each with its first place. @throws {ServiceError} if there are too many. */
function findAddresses(body: unknown): ReadonlyMap<string, Path> {
  const found = new Map<string, Path>()
  for (const { address, path } of findPlaces(body)) {
    if (found.has(address)) continue
    if (found.size >= maxPictures) throw refuse(path, `is one picture too many: a request fetches at most ${maxPictures}.`)
    found.set(address, path)
  }
  return found
}

/** Puts each picture in all its places; returns the bytes that they add. */
function putAll(received: ReceivedBody, pictures: ReadonlyMap<string, PicturePart>): number {
  const seen = new Set<string>()
  let added = 0
  for (const { address, put } of findPlaces(received.value)) {
    const picture = pictures.get(address)
    if (picture === undefined) continue
    // Handlers read a repeated picture at each of its places, as if the body held it there.
    if (seen.has(address)) received.take(picture.base64.length)
    seen.add(address)
    put(picture)
    added += picture.base64.length
  }
  return added
}

async function fetchOne(
  { fetchPicture }: { readonly fetchPicture: FetchPicture | null },
  { received, path, address, signal }: { received: ReceivedBody; path: Path; address: string; signal: AbortSignal },
): Promise<PicturePart> {
  if (fetchPicture === null)
    throw refuse(
      path,
      'is a web address, and this service fetches none (setting fetch-pictures): send the picture itself, as data:image/png;base64,….',
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

/** The places in a body of any of the interfaces, in order. Nothing is copied: a body may have a million parts. */
function* findPlaces(body: unknown): Generator<Place, void, undefined> {
  if (!isFields(body)) return
  yield* inImages(body, [])
  for (const name of ['messages', 'input'] as const)
    for (const [index, turn] of itemsOf(body[name])) {
      if (!isFields(turn)) continue
      yield* inImages(turn, [name, index])
      for (const field of ['content', 'output'] as const)
        for (const [at, part] of itemsOf(turn[field])) {
          if (!isFields(part)) continue
          const path = [name, index, field, at]
          yield* inPart(part, path)
          // Results of tools are parts with parts.
          for (const [inner, result] of itemsOf(part.content)) if (isFields(result)) yield* inPart(result, [...path, 'content', inner])
        }
    }
}

/** Ollama's, in base64. */
function* inImages({ images }: Fields, path: Path): Generator<Place, void, undefined> {
  for (const [index, address] of itemsOf(images)) {
    const put = ({ base64 }: PicturePart): void => {
      if (Array.isArray(images)) images[index] = base64
    }
    if (isAddress(address)) yield { address, path: [...path, 'images', index], put }
  }
}

function* inPart(part: Fields, path: Path): Generator<Place, void, undefined> {
  const { image_url: image, source, type } = part
  const place = (address: string, holder: Fields, field: string, keys: Path): Place => {
    const put = (picture: PicturePart): void => {
      holder[field] = field === 'source' ? asSource(picture) : asAddress(picture)
    }
    return { address, path: [...path, ...keys], put }
  }
  if (isAddress(image)) yield place(image, part, 'image_url', ['image_url'])
  else if (isFields(image) && isAddress(image.url)) yield place(image.url, image, 'url', ['image_url', 'url'])
  else if (type === 'image' && isFields(source) && source.type === 'url' && isAddress(source.url))
    yield place(source.url, part, 'source', ['source', 'url'])
}

function itemsOf(value: unknown): Iterable<readonly [number, unknown]> {
  return Array.isArray(value) ? value.entries() : []
}

function isFields(value: unknown): value is Fields {
  return isRecord(value)
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && webAddress.test(value)
}

function asSource({ mediaType, base64 }: PicturePart): Fields {
  return { type: 'base64', media_type: mediaType, data: base64 }
}

function asAddress({ mediaType, base64 }: PicturePart): string {
  return `data:${mediaType};base64,${base64}`
}
