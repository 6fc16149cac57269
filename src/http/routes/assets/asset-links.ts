import { createHmac, timingSafeEqual } from 'node:crypto'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../../core/error.ts'

/** The action that a link allows on an asset's file. */
export type LinkVerb = 'get' | 'put'

const validMs = 24 * 60 * 60 * 1000

/** A link to an asset's file that works for everyone who has it, for a day. */
export function assetLink(origin: string, asset: UploadedAsset, { verb, now }: { readonly verb: LinkVerb; readonly now: number }): string {
  const expires = Math.floor((now + validMs) / 1000)
  return `${origin}/v1/assets/${asset.id}/content?expires=${expires}&signature=${sign(asset, verb, expires)}`
}

/** @throws {ServiceError} `not_found` for a link with an invalid signature, for another action, or expired. */
export function requireLink(
  asset: UploadedAsset | null,
  { verb, query, now }: { readonly verb: LinkVerb; readonly query: Readonly<Record<string, unknown>>; readonly now: number },
): UploadedAsset {
  const expires = /^\d{1,12}$/.test(String(query.expires)) ? Number(query.expires) : 0
  const given = Buffer.from(String(query.signature))
  const expected = Buffer.from(asset === null ? '' : sign(asset, verb, expires))
  if (asset !== null && expires * 1000 > now && given.length === expected.length && timingSafeEqual(given, expected)) return asset
  throw new ServiceError('not_found', 'This link has expired; get a new one from GET /v1/assets/<id>.')
}

function sign({ id, linkKey }: UploadedAsset, verb: LinkVerb, expires: number): string {
  return createHmac('sha256', linkKey).update(`${verb} ${id} ${expires}`).digest('hex')
}
