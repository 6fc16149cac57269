import { createHmac, timingSafeEqual } from 'node:crypto'

/** A link to one picture of a stored output, and its expiry. */
export interface PictureLink {
  readonly accountId: string
  readonly inferenceId: string
  /** Index among the pictures of the output. */
  readonly index: number
  /** Unix seconds. */
  readonly expires: number
}

/** The path and query of a link that shows one picture to everyone who has it. */
export function signPictureLink(key: Uint8Array, link: PictureLink): string {
  const { accountId, inferenceId, index, expires } = link
  return `/v1/images/stored/${accountId}/${inferenceId}/${index}?expires=${expires}&signature=${signature(key, link)}`
}

/** Whether a link's signature is valid; does not check its expiry. */
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
