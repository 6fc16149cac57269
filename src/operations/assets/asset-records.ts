import type { ExaminedWeights } from '../../core/assets/asset.ts'
import { assetFromDocument, assetToJson, type FoundUpload, type UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { familyNames } from '../../core/checkpoint/checkpoint-family.ts'
import { ServiceError } from '../../core/error.ts'
import { familyOf } from '../../core/model.ts'
import type { DocumentQuery, DocumentStore } from '../../core/ports/document-store.ts'
import type { Abortable } from '../../core/waiting.ts'

type Documents = { readonly documents: DocumentStore }

const kind = 'asset'

const page = 200

/** Maximum time from creation to completion of an upload. */
const uploadWithinMs = 24 * 60 * 60 * 1000

/** Finds an upload of any account by id. */
export async function findAssetRecord({ documents }: Documents, id: string, options: Abortable): Promise<UploadedAsset | null> {
  const document = await documents.get({ kind, id, accountId: null }, options)
  return document === null ? null : assetFromDocument(document)
}

/** All uploads of an account, or of all accounts with null, newest first. */
export async function listAssetRecords(
  { documents }: Documents,
  { accountId }: { readonly accountId: string | null },
  options: Abortable,
): Promise<readonly UploadedAsset[]> {
  const found: UploadedAsset[] = []
  let after: DocumentQuery['after'] = null
  for (;;) {
    const documentsOfPage = await documents.list({ kind, accountId, order: 'newest', after, limit: page }, options)
    for (const document of documentsOfPage) {
      const asset = assetFromDocument(document)
      if (asset !== null) found.push(asset)
    }
    const last = documentsOfPage.at(-1)
    if (last === undefined || documentsOfPage.length < page) return found
    after = { at: last.at, id: last.id }
  }
}

/**
 * Stores an upload; version 0 must be new. Its file has a separate quota and does not count as a document.
 *
 * @returns The upload with its new version.
 * @throws {ServiceError} `idempotency_conflict` if it was changed meanwhile.
 */
export async function putAssetRecord({ documents }: Documents, asset: UploadedAsset, options: Abortable): Promise<UploadedAsset> {
  const result = await documents.put(
    {
      kind,
      id: asset.id,
      accountId: asset.accountId,
      value: assetToJson(asset),
      at: asset.createdAt,
      label: asset.state,
      text: asset.name,
      attachedBytes: 0,
      expiresAt: asset.state === 'awaiting' ? asset.createdAt + uploadWithinMs : null,
    },
    { ...options, version: asset.version === 0 ? null : asset.version, most: Number.MAX_SAFE_INTEGER },
  )
  if (result !== 'stored') throw new ServiceError('idempotency_conflict', 'The asset was changed in the meantime; fetch it and try again.')
  return { ...asset, version: asset.version + 1 }
}

/** Checks whether a file matches the declared asset; a fault is a sentence. */
export function judgeUpload(
  { kind, family }: Pick<UploadedAsset, 'kind' | 'family'>,
  examined: ExaminedWeights,
): { readonly found: FoundUpload } | { readonly fault: string } {
  const fault = (text: string) => ({ fault: `The file ${text}.` })
  if (examined.kind === 'faulty' || examined.kind === 'unusable') return fault(examined.reason)
  if (examined.kind === 'upscaler') return fault('is an upscaler, which the operator must put into a models folder')
  if (examined.kind === 'transformer' || examined.kind === 'part')
    return fault('is a model of several parts, or one of them, which the operator must put into a models folder')
  const is = examined.kind === 'checkpoint' ? { kind: examined.kind, family: familyOf(examined.descriptor) } : examined.descriptor
  if (is.kind !== kind) return fault(`holds a ${is.kind}, not a ${kind}`)
  const fitting = (is.family === null && 'families' in is ? is.families : undefined) ?? [is.family ?? family]
  if (!fitting.includes(family))
    return fault(`is for ${fitting.map((each) => familyNames[each]).join(' or ')}, not for ${familyNames[family]}`)
  return { found: examined }
}
