import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../../core/error.ts'
import type { InspectedImage, InspectImage, InspectionOptions } from '../../../core/images/inspect-image.ts'

/**
 * The head of a `data:` address, in any case; the first group is its media type. The parameters are bounded, because a pattern that repeats
 * over millions of them would exhaust the stack.
 */
export const dataHead: RegExp = /^data:([^,;]{0,128})[^,]{0,256};base64,/i

/**
 * The bytes and the properties of an image field: base64, with or without a data-URI prefix.
 *
 * @throws {ServiceError} `validation_error` for invalid base64 or an unreadable image.
 */
export async function decodeImage(
  inspect: InspectImage,
  { field, text }: { readonly field: string; readonly text: string },
  options: InspectionOptions,
): Promise<InspectedImage & { readonly bytes: Uint8Array }> {
  // The bytes determine the format, whatever the head states.
  const bytes = await decodeBase64(text.trim().replace(dataHead, '').trimStart())
  if (bytes === null) throw fault(field, `\`${field}\` must be an image in base64, with or without a data:image/…;base64, prefix.`)
  return { ...(await inspectField(inspect, { field, bytes }, options)), bytes }
}

/**
 * The properties of an image field's file.
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
 * Decodes base64 or base64url, padded or not, ignoring line breaks; null when the text is empty or invalid. Long texts are decoded over
 * several turns of the event loop.
 */
export async function decodeBase64(text: string): Promise<Buffer | null> {
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((text.length * 3) / 4))
  let length = 0
  let rest = ''
  for (let at = 0; at < text.length; at += perTurn) {
    if (at > 0) await setImmediate()
    const piece = rest + text.slice(at, at + perTurn).replace(/[\r\n]+/g, '')
    const isLast = at + perTurn >= text.length
    // Four characters are three bytes, and padding is only allowed at the end.
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
  // Padding is optional but must be correct. One remaining character cannot encode a byte.
  return padding !== undefined && (padding === '' ? text.length % 4 !== 1 : text.length % 4 === 0)
}
