import { ServiceError } from '../../../core/error.ts'
import type { GeneratedImage, ImageProgress, ImageRequest } from '../../../core/image-generation.ts'
import { pictureFormat } from '../../../core/images/image-sizes.ts'
import { type StyledPrompts, stylePrompts } from '../../../core/images/style-preset.ts'
import type { ImageModel } from '../../../core/ports/image-model.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { fieldOf, textsIn } from '../field-of.ts'
import { makeBrokenError, makeEventError, makeLateError } from '../upstream-error.ts'
import { receivePicture } from './receive-picture.ts'

/** One picture to draw: the request, with its style preset applied to the prompts, and the seed. */
export interface ServerDrawing {
  readonly request: ImageRequest
  readonly texts: StyledPrompts
  readonly seed: number
}

export interface DrawingOptions {
  readonly signal: AbortSignal
  /** Completed steps of this picture, and a preview in PNG or JPEG. */
  readonly onStep: (step: number, preview?: Uint8Array) => Promise<void>
  /** Restarts the time limit of the picture; called while it waits in the server's own queue. */
  readonly onWaiting: () => void
}

/** An adapter for one kind of server. */
export interface ImageServer {
  /** @throws {ServiceError} `unsupported` naming the field that the server does not support. */
  refuse(request: ImageRequest, options: Abortable): Promise<void>
  /** Draws one picture and returns its file: PNG, JPEG or WebP. */
  draw(drawing: ServerDrawing, options: DrawingOptions): Promise<Uint8Array>
}

interface ServerLimits {
  /** Time limit of one picture in milliseconds; null = the request's own. */
  readonly firstMs: number | null
  /** Waits for the server's turn for this request; absent = the server draws several pictures at once. */
  readonly takeTurn?: (options: Abortable) => Promise<Disposable>
}

/** A model on a server. Pictures are requested one after the other, so that each has its own seed and can be cancelled. */
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
        const file = await asImageError(
          server.draw({ request, texts, seed }, { signal: limited.signal, onStep, onWaiting: limited.restart }),
        )
        images.push(await receivePicture(file, request, seed))
        reporter.finish()
      }
      return { images, computeMs: performance.now() - started }
    },
  }
}

/** Converts a server's own step count to the requested number of steps. A server makes fewer steps for a low strength, or its workflow fixes them. */
export function scaleStep(step: number, all: unknown, requested: number): number {
  return typeof all === 'number' && all > 0 ? (step * requested) / all : step
}

/** Reports the progress of one of several pictures, until disposed. */
function reportSteps({ steps, seeds, previews }: ImageRequest, i: number, onProgress: (progress: ImageProgress) => void) {
  const total = steps * seeds.length
  let [last, isDone] = [0, false]
  return {
    onStep: async (step: number, preview?: Uint8Array): Promise<void> => {
      const small = previews && preview !== undefined ? await shrink(preview) : undefined
      if (isDone || Number.isNaN(step)) return
      // Servers count differently and answer late; reported progress never decreases.
      last = Math.max(last, Math.min(Math.max(Math.round(step), 0), steps))
      onProgress({ step: i * steps + last, total, ...(small !== undefined && { preview: small }) })
    },
    finish: (): void => onProgress({ step: (i + 1) * steps, total }),
    [Symbol.dispose]: (): void => {
      isDone = true
    },
  }
}

/** A small JPEG, or undefined if the bytes are not a picture. */
async function shrink(preview: Uint8Array): Promise<Uint8Array | undefined> {
  if (pictureFormat(preview) === undefined) return undefined
  const { default: sharp } = await import('sharp')
  return await sharp(preview, { limitInputPixels: 16 * 1024 * 1024 })
    .resize(256, 256, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 70 })
    .toBuffer()
    .catch(() => undefined)
}

/** A server's refusal as an error of the image routes. */
async function asImageError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ServiceError) || !['invalid_request_error', 'context_length_exceeded'].includes(error.code)) throw error
    throw new ServiceError('validation_error', error.message, { cause: error })
  }
}

/** A field that a server does not support, and whether the request uses it. */
export type FieldUse = readonly [field: string, used: boolean]

/** @throws {ServiceError} `unsupported` naming the first field that is used. */
export function refuseUsed(server: string, fields: readonly FieldUse[]): void {
  const found = fields.find(([, used]) => used)
  if (found === undefined) return
  throw new ServiceError(
    'unsupported',
    `\`${found[0]}\` must be left out: the model runs on a server (${server}) that does not support it.`,
    { param: found[0] },
  )
}

/** Fields that no supported server has. */
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

/** Tag in a prompt that stable-diffusion.cpp's compatibility APIs read parameters from. */
const embeddedParameters = /<\s*sd_cpp_extra_args/iu

/** @throws {ServiceError} `validation_error` for a prompt that a server may read as parameters. */
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

/**
 * The file of an answer: the first of its values that is a text.
 *
 * @throws {ServiceError} the error that the answer reports instead; `inference_failed` if there is none.
 */
export function pictureIn(answer: unknown, values: unknown): Uint8Array {
  const [found] = textsIn(values).filter((text) => text !== '')
  if (found === undefined && fieldOf(answer, 'error')) throw makeEventError(answer)
  return fromBase64(found)
}

/** Bytes of a text in base64, with or without a data-URI prefix. */
function fromBase64(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value === '') throw makeBrokenError('sent no image')
  return Buffer.from(value.slice(value.startsWith('data:') ? value.indexOf(',') + 1 : 0), 'base64')
}

/** Bytes in base64, without a prefix. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/**
 * A signal that aborts with the caller's, or when the time limit of one picture has passed. Disposing it clears the timer.
 *
 * @param firstMs Time limit in milliseconds; null = the caller's signal alone.
 */
function limitDrawing(firstMs: number | null, { signal }: Abortable): Disposable & Abortable & { readonly restart: () => void } {
  if (firstMs === null) return { signal, restart: () => undefined, [Symbol.dispose]: () => undefined }
  const late = new AbortController()
  const begin = (): NodeJS.Timeout => setTimeout(() => late.abort(makeLateError('first', firstMs)), firstMs)
  let timer = begin()
  return {
    signal: AbortSignal.any([signal, late.signal]),
    restart: () => {
      clearTimeout(timer)
      timer = begin()
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
