import { assetFromDocument, assetToJson, type UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { DocumentQuery, DocumentStore } from '../../core/ports/document-store.ts'

type Options = { readonly signal: AbortSignal }
type Documents = { readonly documents: DocumentStore }

const kind = 'asset'
const page = 200

/** How long an upload may take from its making to its end. */
const uploadWithinMs = 24 * 60 * 60 * 1000

/** An upload by its id, whoever's it is. */
export async function findAssetRecord({ documents }: Documents, id: string, options: Options): Promise<UploadedAsset | null> {
  const document = await documents.get({ kind, id, accountId: null }, options)
  return document === null ? null : assetFromDocument(document)
}

/** Every upload of one account, or with null of all, newest first. */
export async function listAssetRecords(
  { documents }: Documents,
  { accountId }: { readonly accountId: string | null },
  options: Options,
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
 * Stores an upload; one of version 0 must be new. Its bytes have a quota of their own and do not count among the account's documents.
 *
 * @returns It with its new version.
 * @throws {ServiceError} `idempotency_conflict` when it was changed meanwhile.
 */
export async function putAssetRecord({ documents }: Documents, asset: UploadedAsset, options: Options): Promise<UploadedAsset> {
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
