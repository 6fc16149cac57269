import { engineOf } from '../../../core/assets/asset-engine.ts'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../../core/error.ts'
import { queryFault } from '../../faults/refuse-faults.ts'
import { assetTypeOf } from './asset-answers.ts'

/** Query parameters of GET /v1/assets, all from the original service. */
export const assetQueryNames = [
  'name',
  'is_public',
  'data_type',
  'asset_type',
  'engine',
  'engine_type',
  'limit',
  'offset',
  'get_preview_urls',
  'asset_ids',
  'owner',
  'file_format',
] as const

export interface AssetQuery {
  readonly accepts: (asset: UploadedAsset) => boolean
  readonly limit: number
  readonly offset: number
}

const maxPerPage = 200

/** @throws {ServiceError} `invalid_request_error` for values out of range, `unsupported_parameter` for filters that Sepia lacks. */
export function readAssetQuery(query: Readonly<Record<string, unknown>>): AssetQuery {
  const all = (name: string): readonly string[] => [query[name] ?? []].flat().map(String)
  const [name] = all('name')
  const types = all('asset_type')
  const engines = all('engine')
  const ids = all('asset_ids').flatMap((list) => list.split(','))
  const [owner] = all('owner')
  const [isPublic] = all('is_public')
  if (query.data_type !== undefined)
    throw new ServiceError('unsupported_parameter', 'Assets have no `data_type`; leave it out.', { param: 'data_type' })
  if (isPublic !== undefined && isPublic !== 'true' && isPublic !== 'false') throw queryFault('is_public', 'must be true or false.')
  if (all('engine_type').some((type) => type !== 'image')) throw queryFault('engine_type', 'must be image.')
  if (all('file_format').some((format) => format !== 'safetensors')) throw queryFault('file_format', 'must be safetensors.')
  return {
    limit: integer(query.limit, 'limit', { least: 1, most: maxPerPage, absent: maxPerPage }),
    offset: integer(query.offset, 'offset', { least: 0, most: 1_000_000, absent: 0 }),
    accepts: (asset) =>
      (name === undefined || asset.name === name) &&
      (types.length === 0 || types.includes(assetTypeOf(asset))) &&
      (engines.length === 0 || engines.includes(engineOf(asset))) &&
      (ids.length === 0 || ids.includes(asset.id)) &&
      (owner === undefined || asset.accountId === owner) &&
      (isPublic === undefined || asset.isPublic === (isPublic === 'true')),
  }
}

function integer(
  value: unknown,
  param: string,
  { least, most, absent }: { readonly least: number; readonly most: number; readonly absent: number },
): number {
  if (value === undefined) return absent
  const number = /^\d{1,7}$/.test(String(value)) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw queryFault(param, `must be an integer from ${least} to ${most}.`)
}
