import { createHash, randomUUID } from 'node:crypto'
import type { ImageResult } from '../../../core/image-generation.ts'
import type { DrawnWork, StoredImages, StoredPicture } from '../../../core/inference.ts'
import { encodeImageResult, encodeUpscalingResult } from './image-result.ts'

/** Bytes of a picture per chunk: a multiple of three, so that their base64 needs no padding. */
const sliceBytes = 768 * 1024
const emptyHash = createHash('sha256').digest('hex')

/**
 * The JSON of {@link encodeImageResult} or {@link encodeUpscalingResult} in chunks of about a megabyte. A single text would take several
 * times the memory of its pictures and block the event loop while it is written.
 */
export class ImageChunks implements Iterable<Uint8Array> {
  readonly #result: ImageResult
  /** The JSON before each picture and after the last. */
  readonly #frame: readonly string[]
  #pictures: readonly StoredPicture[] = []

  /** @param work The work that the result belongs to. */
  constructor(work: DrawnWork, result: ImageResult) {
    this.#result = result
    const mark = randomUUID()
    const answer =
      work.kind === 'enlargement'
        ? encodeUpscalingResult(work.request, result, () => mark)
        : encodeImageResult(work.request, result, () => mark)
    this.#frame = JSON.stringify(answer).split(mark)
  }

  /** Bytes of all chunks together. */
  get bytes(): number {
    const frame = this.#frame.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    return this.#result.images.reduce((sum, { removedForSafety, bytes }) => sum + (removedForSafety ? 0 : base64Length(bytes)), frame)
  }

  /** The positions of the pictures; complete after all chunks were read. */
  images(): StoredImages {
    return { computeMs: this.#result.computeMs, pictures: this.#pictures }
  }

  *[Symbol.iterator](): Generator<Uint8Array, void, undefined> {
    const pictures: StoredPicture[] = []
    const frame = [...this.#frame]
    let offset = 0
    for (const { seed, removedForSafety, bytes } of this.#result.images) {
      if (removedForSafety) {
        pictures.push({ seed, removedForSafety, offset, length: 0, sha256: emptyHash })
        continue
      }
      const before = Buffer.from(frame.shift() ?? '')
      yield before
      offset += before.length
      const hash = createHash('sha256')
      for (let start = 0; start < bytes.length; start += sliceBytes) {
        const slice = bytes.subarray(start, start + sliceBytes)
        hash.update(slice)
        yield Buffer.from(Buffer.from(slice.buffer, slice.byteOffset, slice.length).toString('base64'), 'latin1')
      }
      pictures.push({ seed, removedForSafety, offset, length: base64Length(bytes), sha256: hash.digest('hex') })
      offset += base64Length(bytes)
    }
    yield Buffer.from(frame.join(''))
    this.#pictures = pictures
  }
}

function base64Length(bytes: Uint8Array): number {
  return Math.ceil(bytes.length / 3) * 4
}
