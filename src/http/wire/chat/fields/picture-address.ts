import type { PicturePart } from '../../../../core/text-generation.ts'

const pictureAddress = /^data:(image\/(?:png|jpeg|webp|gif));base64,/
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/** Pictures of one message; a request holds no more than its body. */
export const mostPictures = 32
/** What documents say of an address that holds a picture. */
export const addressMeaning = 'The picture itself: `data:image/png;base64,…`; PNG, JPEG, WebP or GIF.'

/** What is wrong with a picture's address, as the end of a sentence that begins with its field; null = nothing. */
export function findAddressFault(url: string): string | null {
  const head = pictureAddress.exec(url)?.[0]
  if (head === undefined)
    return 'must hold the picture itself, as data:image/png;base64,… (or jpeg, webp, gif): other addresses are not fetched.'
  return isBase64(url.slice(head.length)) ? null : 'must be base64 behind the comma.'
}

/** The picture of an address in which {@link findAddressFault} found nothing wrong. */
export function readAddress(url: string, detail?: PicturePart['detail']): PicturePart | null {
  const [head, mediaType] = pictureAddress.exec(url) ?? []
  if (head === undefined || mediaType === undefined) return null
  return { type: 'picture', mediaType, base64: toPlainBase64(url.slice(head.length)), ...(detail && { detail }) }
}

/** Whether a text is base64 in its usual letters or in those of addresses. */
export function isBase64(text: string): boolean {
  return base64.test(text)
}

/** Base64 in its usual letters and padded, of text in those of addresses. */
export function toPlainBase64(text: string): string {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
}
