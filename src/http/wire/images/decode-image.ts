import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../../core/error.ts'
import { dataHead } from '../data-head.ts'

interface InspectionOptions {
  readonly signal: AbortSignal
  /** Whose picture it is, where that is known. */
  readonly account?: string
  /** Asks for a mask that still has white when it is resized to this. */
  readonly whiteAt?: { readonly width: number; readonly height: number }
  /** Asks for the mask that the picture's transparent parts are; it is what must have the white then. */
  readonly transparency?: boolean
  /** Asks for the picture, this many pixels wide or as wide as it is. */
  readonly thumbnailWidth?: number
  /** WebP by default. */
  readonly thumbnailFormat?: 'webp' | 'png'
}

/** What an uploaded image is. */
export interface InspectedImage {
  readonly format: string
  readonly width: number
  readonly height: number
  /** White where it is transparent, as PNG; there when it was asked for. */
  readonly mask?: Uint8Array
  /** There when it was asked for. */
  readonly thumbnail?: Uint8Array
}

/** Checks an uploaded image; throws `validation_error` when it does not decode, or has no white at the size given. */
export type InspectImage = (bytes: Uint8Array, options: InspectionOptions) => Promise<InspectedImage>

/**
 * The bytes of an image field: base64, with or without a data-URI prefix.
 *
 * @throws {ServiceError} `validation_error` for anything that is not exactly base64, or no image the engine can read.
 */
export async function decodeImage(
  inspect: InspectImage,
  { field, text }: { readonly field: string; readonly text: string },
  options: InspectionOptions,
): Promise<Uint8Array> {
  return (await decodeInspected(inspect, { field, text }, options)).bytes
}

/** As {@link decodeImage}, with what the image is. */
export async function decodeInspected(
  inspect: InspectImage,
  { field, text }: { readonly field: string; readonly text: string },
  options: InspectionOptions,
): Promise<{ readonly bytes: Uint8Array; readonly found: InspectedImage }> {
  // The bytes decide, whatever type the head names.
  const bytes = await decodeBase64(text.replace(dataHead, ''))
  if (bytes === null) throw fault(field, `\`${field}\` must be an image in base64, with or without a data:image/…;base64, prefix.`)
  return { bytes, found: await inspectField(inspect, { field, bytes }, options) }
}

/**
 * What the file of an image field is.
 *
 * @throws {ServiceError} `validation_error`, naming the field, for a file that the engine cannot use.
 */
export async function inspectField(
  inspect: InspectImage,
  { field, bytes }: { readonly field: string; readonly bytes: Uint8Array },
  options: InspectionOptions,
): Promise<InspectedImage> {
  try {
    return await inspect(bytes, options)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'validation_error') throw error
    throw fault(field, `\`${field}\` cannot be used: ${error.message}`)
  }
}

function fault(field: string, message: string): ServiceError {
  return new ServiceError('validation_error', message, { param: field, faults: [{ path: [field], message, kind: 'image' }] })
}

/** Characters decoded in one turn of the event loop: about a millisecond. */
const perTurn = 1024 * 1024

/**
 * The bytes of a base64 text, in the usual letters or those of addresses, padded or not, line breaks in it left out, as the usual command-line tools
 * write them; null when it is empty or anything else. Long texts are read over several turns of the event loop.
 */
export async function decodeBase64(text: string): Promise<Buffer | null> {
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((text.length * 3) / 4))
  let length = 0
  let rest = ''
  for (let at = 0; at < text.length; at += perTurn) {
    if (at > 0) await setImmediate()
    const piece = rest + text.slice(at, at + perTurn).replace(/[\r\n]+/g, '')
    const isLast = at + perTurn >= text.length
    // Four characters are three bytes; padding stands only at the end.
    const whole = isLast ? piece : piece.slice(0, piece.length - (piece.length % 4 || 4))
    if (!isBase64(whole, isLast)) return null
    length += bytes.write(whole, length, 'base64')
    rest = piece.slice(whole.length)
  }
  return length === 0 ? null : bytes.subarray(0, length)
}

function isBase64(text: string, isLast: boolean): boolean {
  if (!isLast) return text.length % 4 === 0 && /^[A-Za-z0-9+/_-]*$/.test(text)
  const [, padding] = /^[A-Za-z0-9+/_-]*(={0,2})$/.exec(text) ?? []
  // Padding may be left out, but what there is of it must be right; one letter alone is no byte.
  return padding !== undefined && (padding === '' ? text.length % 4 !== 1 : text.length % 4 === 0)
}
