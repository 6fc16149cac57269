import { randomBytes } from 'node:crypto'
import type { PicturePart, TextRequest } from '../../core/text-generation.ts'
import { asAddress, putPictures } from './picture-places.ts'

/** The first bytes of a PNG file. */
const pngHead = Buffer.from('iVBORw0KGgo=', 'base64')
const mediaType = 'image/png'

/**
 * Pictures that are still being fetched when their stream has to begin. In a body, each is replaced by a stand-in, so that the rest of the request can
 * be checked.
 */
export class LatePictures {
  /** By the base64 of the stand-in. */
  readonly #arrived: Promise<ReadonlyMap<string, PicturePart>>

  /** @param fetching The pictures, by their addresses. */
  constructor(body: unknown, addresses: Iterable<string>, fetching: Promise<ReadonlyMap<string, PicturePart>>) {
    const standIns = new Map(Array.from(addresses, (address) => [address, makeStandIn()]))
    putPictures(body, standIns)
    this.#arrived = fetching.then(
      (pictures) => new Map([...standIns].flatMap(([address, { base64 }]) => pairOf(base64, pictures.get(address)))),
    )
    // The request may fail before it waits for them.
    this.#arrived.catch(() => {})
  }

  /**
   * Puts the pictures into a request when all have arrived; fails with the errors of fetching.
   *
   * @param kept The part of the body that is stored, into which the pictures are put too; null = none.
   */
  putInto(kept: unknown = null): (request: TextRequest) => Promise<TextRequest> {
    return async (request) => this.#complete(request, kept, await this.#arrived)
  }

  #complete(request: TextRequest, kept: unknown, pictures: ReadonlyMap<string, PicturePart>): TextRequest {
    putPictures(kept, new Map([...pictures].map(([base64, picture]) => [asAddress({ mediaType, base64 }), picture])))
    const { input } = request
    if (input.type !== 'chat') return request
    const messages = input.messages.map((message) =>
      message.role === 'user' && message.parts !== undefined
        ? { ...message, parts: message.parts.map((part) => (part.type === 'picture' ? { ...part, ...pictures.get(part.base64) } : part)) }
        : message,
    )
    return { ...request, input: { ...input, messages } }
  }
}

/** A picture that no client can have sent. */
function makeStandIn(): PicturePart {
  return { type: 'picture', mediaType, base64: Buffer.concat([pngHead, randomBytes(16)]).toString('base64') }
}

function pairOf(base64: string, picture: PicturePart | undefined): readonly (readonly [string, PicturePart])[] {
  return picture === undefined ? [] : [[base64, picture]]
}
