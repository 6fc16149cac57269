import Type from 'typebox'
import type { FieldFault } from '../../../../core/error.ts'
import type { PicturePart } from '../../../../core/text-generation.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'
import { dataHead } from '../../images/decode-image.ts'

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/** Pictures of one message; a request is limited only by its size. */
export const maxPictures = 32
/** A tool's result without text: its pictures follow as a user's message, since templates and servers take none in results. */
export const pictureFollows = '(The result is the picture that follows.)'
/** The resolution hint of a picture: passed to upstream servers, without effect on local models. */
export const detailField = Type.Optional(Type.Enum(['auto', 'low', 'high', 'original']))
/** The description of such addresses in the API document. */
export const addressMeaning =
  'A PNG, JPEG, WebP or GIF as a data URL, `data:image/png;base64,…`. If the setting `fetch-pictures` is on, also an http or https address.'

/** Finds too many pictures in the content of one message. @param kind The type of parts with pictures. */
export function findTooManyPictures(
  parts: readonly { readonly type: string }[],
  kind: string,
  path: FieldFault['path'],
): readonly FieldFault[] {
  if (parts.filter(({ type }) => type === kind).length <= maxPictures) return []
  return [fieldFault(path, `has more than ${maxPictures} images: send fewer.`, 'range')]
}

/** The fault of a picture's address, as the end of a sentence that begins with its field; null = none. */
export function findAddressFault(url: string): string | null {
  const [head = ''] = dataHead.exec(url) ?? []
  const elsewhere = 'must hold the image itself, as data:image/png;base64,… (or jpeg, webp, gif): other addresses are not fetched.'
  if (head === '') return elsewhere
  if (readPicture(url) !== null) return null
  return base64.test(url.slice(head.length)) ? elsewhere : 'must be base64 behind the comma.'
}

/** The picture of an address that {@link findAddressFault} accepted. */
export function readAddress(url: string, detail?: PicturePart['detail']): PicturePart | null {
  const picture = dataHead.test(url) ? readPicture(url) : null
  return picture && { ...picture, ...(detail && { detail }) }
}

/**
 * Reads a picture in base64, with or without the head of a data address. Its first bytes determine the format; the stated type counts only
 * when they are unknown.
 *
 * @param named The type stated in a field beside it.
 * @returns Null when the text is not base64, or neither its bytes nor its type are of a format that models read.
 */
export function readPicture(text: string, named = ''): PicturePart | null {
  const [head = '', inHead = ''] = dataHead.exec(text) ?? []
  const letters = text
    .slice(head.length)
    .trim()
    .replace(/[\r\n]/g, '')
  if (!base64.test(letters)) return null
  const plain = toPlainBase64(letters)
  const mediaType = typeOfBytes(Buffer.from(plain.slice(0, 16), 'base64').toString('latin1')) ?? typeOfName(inHead || named)
  return mediaType === null ? null : { type: 'picture', mediaType, base64: plain }
}

function typeOfBytes(bytes: string): string | null {
  if (bytes.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (bytes.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (bytes.startsWith('GIF8')) return 'image/gif'
  return bytes.startsWith('RIFF') && bytes.slice(8, 12) === 'WEBP' ? 'image/webp' : null
}

function typeOfName(name: string): string | null {
  const [, kind] = /^image\/(png|jpe?g|webp|gif)$/i.exec(name) ?? []
  return kind === undefined ? null : `image/${kind.toLowerCase().replace(/^jpg$/, 'jpeg')}`
}

/** Converts base64url to padded base64. */
function toPlainBase64(text: string): string {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
}
