import { ServiceError } from '../../../core/error.ts'
import type { GeneratedImage, ImageProgress, ImageRequest } from '../../../core/image-generation.ts'
import { pictureFormat } from '../../../core/images/image-sizes.ts'
import { type StyledPrompts, stylePrompts } from '../../../core/images/style-preset.ts'
import type { ImageModel } from '../../../core/ports/image-model.ts'
import { orAborted } from '../../../core/waiting.ts'
import { makeBrokenError, makeLateError } from '../upstream-error.ts'
import { receivePicture } from './receive-picture.ts'

/** One picture to be drawn: the request with its look put around the texts, and the seed. */
export interface ServerDrawing {
  readonly request: ImageRequest
  readonly texts: StyledPrompts
  readonly seed: number
}

export interface DrawingOptions {
  readonly signal: AbortSignal
  /** Steps of this picture that are done, and a picture of it so far, PNG or JPEG. */
  readonly onStep: (step: number, preview?: Uint8Array) => Promise<void>
}

/** What is particular to a kind of server. */
export interface ImageServer {
  /** @throws {ServiceError} `unsupported` naming the field that the server has no word for. */
  refuse(request: ImageRequest, options: { readonly signal: AbortSignal }): Promise<void>
  /** Draws one picture and answers its file, PNG, JPEG or WebP. */
  draw(drawing: ServerDrawing, options: DrawingOptions): Promise<Uint8Array>
}

interface ServerLimits {
  /** What one picture may take; null = what the request may. */
  readonly firstMs: number | null
  /** Waits until the server may draw for this request; absent = it draws for several at once. */
  readonly takeTurn?: (options: { readonly signal: AbortSignal }) => Promise<Disposable>
}

/** A model behind a server: pictures are asked for one after the other, so that each has its own seed and can be cancelled. */
export function createServerModel(server: ImageServer, { firstMs, takeTurn }: ServerLimits): ImageModel {
  return {
    async generate(request, { signal, onProgress }) {
      const started = performance.now()
      await server.refuse(request, { signal })
      const texts = stylePrompts(request)
      const images: GeneratedImage[] = []
      for (const [i, seed] of request.seeds.entries()) {
        signal.throwIfAborted()
        using reporter = reportSteps(request, i, onProgress)
        const { onStep } = reporter
        using _turn = await takeTurn?.({ signal })
        using limited = limitDrawing(firstMs, { signal })
        const file = await asImageError(server.draw({ request, texts, seed }, { signal: limited.signal, onStep }))
        images.push(await receivePicture(file, request, seed))
        reporter.finish()
      }
      return { images, computeMs: performance.now() - started }
    },
  }
}

/** How many of the steps that were asked for a server has done which counts its own, as it makes fewer of them for a weak change or its workflow fixes them. */
export function scaleStep(step: number, all: unknown, requested: number): number {
  return typeof all === 'number' && all > 0 ? (step * requested) / all : step
}

/** Tells the progress of one picture among the others, and nothing of it any more once it is disposed. */
function reportSteps({ steps, seeds, previews }: ImageRequest, i: number, onProgress: (progress: ImageProgress) => void) {
  const total = steps * seeds.length
  let [last, isDone] = [0, false]
  return {
    onStep: async (step: number, preview?: Uint8Array): Promise<void> => {
      const small = previews && preview !== undefined ? await shrink(preview) : undefined
      if (isDone || Number.isNaN(step)) return
      // Servers count in their own ways and answer late: progress never goes back.
      last = Math.max(last, Math.min(Math.max(Math.round(step), 0), steps))
      onProgress({ step: i * steps + last, total, ...(small !== undefined && { preview: small }) })
    },
    finish: (): void => onProgress({ step: (i + 1) * steps, total }),
    [Symbol.dispose]: (): void => {
      isDone = true
    },
  }
}

/** A small JPEG, or undefined for what is no picture. */
async function shrink(preview: Uint8Array): Promise<Uint8Array | undefined> {
  if (pictureFormat(preview) === undefined) return undefined
  const { default: sharp } = await import('sharp')
  return await sharp(preview, { limitInputPixels: 16 * 1024 * 1024 })
    .resize(256, 256, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 70 })
    .toBuffer()
    .catch(() => undefined)
}

/** A server's refusal in the words of the image routes. */
async function asImageError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ServiceError) || !['invalid_request_error', 'context_length_exceeded'].includes(error.code)) throw error
    throw new ServiceError('validation_error', error.message, { cause: error })
  }
}

/** One field that a server has no word for, and whether the request uses it. */
export type FieldUse = readonly [field: string, used: boolean]

/** @throws {ServiceError} `unsupported` naming the first field that is used. */
export function refuseUsed(server: string, fields: readonly FieldUse[]): void {
  const found = fields.find(([, used]) => used)
  if (found === undefined) return
  throw new ServiceError(
    'unsupported',
    `\`${found[0]}\` must be left out: the model runs on a server (${server}) that does not support it.`,
    {
      param: found[0],
    },
  )
}

/** Fields that no server here has words for. */
export function rareFields(request: ImageRequest): readonly FieldUse[] {
  return [
    ['prompt_2', request.prompt2 !== request.prompt],
    ['negative_prompt_2', request.negative !== null && request.negative.prompt2 !== request.negative.prompt],
    ['clip_skip', request.clipSkip > 0],
    ['guidance_rescale', request.guidanceRescale > 0],
    ['outpainting', request.mask?.outpainting === true],
    ['reference_images', request.references !== undefined],
  ]
}

/** What stable-diffusion.cpp reads parameters from where it speaks the interfaces of others, beyond all that a request may ask for. */
const embeddedParameters = /<\s*sd_cpp_extra_args/iu

/** @throws {ServiceError} `validation_error` for a text that a server may take for parameters. */
export function refuseEmbedded({ prompt, negative }: ImageRequest): void {
  for (const [param, text] of [
    ['prompt', prompt],
    ['negative_prompt', negative?.prompt ?? ''],
  ] as const)
    if (embeddedParameters.test(text))
      throw new ServiceError('validation_error', `\`${param}\` must not contain <sd_cpp_extra_args>: use the fields of the request.`, {
        param,
      })
}

/** Bytes of a text in base64, with or without a data-URI prefix. */
export function fromBase64(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value === '') throw makeBrokenError('sent no picture')
  return Buffer.from(value.slice(value.startsWith('data:') ? value.indexOf(',') + 1 : 0), 'base64')
}

/** A text that holds bytes, without a prefix. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/**
 * A signal that aborts with the caller's, or when one picture has taken longer than its server may; disposing it ends the count.
 *
 * @param firstMs null = the caller's alone.
 */
function limitDrawing(firstMs: number | null, { signal }: { readonly signal: AbortSignal }): Disposable & { readonly signal: AbortSignal } {
  if (firstMs === null) return { signal, [Symbol.dispose]: () => undefined }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(makeLateError('first', firstMs)), firstMs)
  return { signal: AbortSignal.any([signal, late.signal]), [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Lets pictures at one server be drawn one after the other, in the order in which they were asked for. */
export class DrawingTurns {
  /** The end of the last turn at each server. */
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for a turn, which lasts until it is disposed. */
  async take(server: string, { signal }: { readonly signal: AbortSignal }): Promise<Disposable> {
    const before = this.#last.get(server)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const last = Promise.all([before, ended]).then(() => {
      if (this.#last.get(server) === last) this.#last.delete(server)
    })
    this.#last.set(server, last)
    try {
      if (before !== undefined) await orAborted(before, signal)
    } catch (error) {
      end()
      throw error
    }
    return { [Symbol.dispose]: end }
  }
}
