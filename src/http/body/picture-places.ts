import { isRecord } from '../../core/json-value.ts'
import type { PicturePart } from '../../core/text-generation.ts'

/** Keys and positions that lead to a value in a body. */
export type Path = readonly (string | number)[]
type Fields = Record<string, unknown>

/** A place in a body where a picture is named by its address. */
interface Place {
  readonly address: string
  readonly path: Path
  /** Puts the picture there. */
  readonly put: (picture: PicturePart) => void
}

/** Web addresses, and data addresses as short as those that stand in for a picture. */
const addressed = /^https?:\/\/|^data:image\/png;base64,[\w+/]{32}$/i

/** Puts each picture in all places of its address, and returns the bytes that they add. */
export function putPictures(body: unknown, pictures: ReadonlyMap<string, PicturePart>): number {
  let added = 0
  for (const { address, put } of findPlaces(body)) {
    const picture = pictures.get(address)
    if (picture === undefined) continue
    put(picture)
    added += picture.base64.length
  }
  return added
}

/** The places in a body of any of the interfaces, in order. Nothing is copied: a body may have a million parts. */
export function* findPlaces(body: unknown): Generator<Place, void, undefined> {
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
  return typeof value === 'string' && addressed.test(value)
}

function asSource({ mediaType, base64 }: PicturePart): Fields {
  return { type: 'base64', media_type: mediaType, data: base64 }
}

/** The data address of a picture. */
export function asAddress({ mediaType, base64 }: Pick<PicturePart, 'mediaType' | 'base64'>): string {
  return `data:${mediaType};base64,${base64}`
}
