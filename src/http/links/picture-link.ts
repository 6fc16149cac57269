import { createHmac, timingSafeEqual } from 'node:crypto'

/** One picture of a stored output, and until when a link to it works. */
export interface PictureLink {
  readonly accountId: string
  readonly inferenceId: string
  /** Place among the pictures of its output. */
  readonly index: number
  /** Unix seconds. */
  readonly expires: number
}

/** The path and query of a link that shows one picture to anyone who has it, and nothing else. */
export function signPictureLink(key: Uint8Array, link: PictureLink): string {
  const { accountId, inferenceId, index, expires } = link
  return `/v1/images/stored/${accountId}/${inferenceId}/${index}?expires=${expires}&signature=${signature(key, link)}`
}

/** Whether a link is as it was signed; says nothing of its time. */
export function isSigned(key: Uint8Array, link: PictureLink, text: string): boolean {
  const expected = Buffer.from(signature(key, link))
  const given = Buffer.from(text)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function signature(key: Uint8Array, { accountId, inferenceId, index, expires }: PictureLink): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(['picture', accountId, inferenceId, index, expires]))
    .digest('base64url')
}
