import { ServiceError } from '../../../core/error.ts'
import { dataHead } from '../data-head.ts'
import { decodeBase64 } from './decode-base64.ts'

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
