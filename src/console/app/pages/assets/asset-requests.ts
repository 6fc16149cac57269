import { engineOf } from '../../../../core/assets/asset-engine.ts'
import type { UploadKind } from '../../../../core/assets/uploaded-asset.ts'
import type { CheckpointFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import type { Answer } from '../../../../http/wire/answer.ts'
import type {
  assetListSchema,
  assetSchema,
  assetTransferSchema,
  completedUploadSchema,
} from '../../../../http/wire/assets/asset-answers.ts'
import { drawNoLarger } from '../../interface/draw-no-larger.ts'
import { RequestFailure, request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'

export type ShownAsset = Answer<typeof assetSchema>

/** The description of a file, sent before the file. */
export interface AssetDraft {
  readonly name: string
  readonly kind: UploadKind
  readonly family: CheckpointFamily
  readonly description: string
  readonly triggerWords: readonly string[]
  readonly isPublic: boolean
}

/** Small enough to upload over a slow connection within the service's limit of five minutes. */
const partBytes = 32 * 1024 * 1024
const pictureSide = 512

/** The account's assets and the public ones. */
export async function listAssets(signal: AbortSignal): Promise<readonly ShownAsset[]> {
  return (await request<Answer<typeof assetListSchema>>('/v1/assets', { signal })).data
}

/**
 * Uploads a file in parts and has it checked.
 *
 * @param onShare Called with the uploaded share, 0 to 1.
 * @throws {RequestFailure} with the reason when it is refused; then nothing is stored.
 */
export async function uploadAsset(
  draft: AssetDraft,
  file: Blob,
  { signal, onShare }: { readonly signal: AbortSignal; readonly onShare: (share: number) => void },
): Promise<void> {
  const type = draft.kind === 'textual-inversion' ? 'textual_inversion' : draft.kind === 'controlnet' ? 'checkpoint' : draft.kind
  const data = { asset_type: type, engine: engineOf(draft), ...(draft.triggerWords.length > 0 && { trigger_words: draft.triggerWords }) }
  const body = { name: draft.name, asset_type: type, data, description: draft.description, is_public: draft.isPublic }
  const made = await request<Answer<typeof assetTransferSchema>>('/v1/assets', {
    method: 'POST',
    body: { ...body, transfer_api_type: 'presigned-url' },
    signal,
  })
  try {
    if (made.transfer_api.type !== 'presigned-url') throw new TypeError('No address for the file came back')
    // The service's public origin may differ from the page's.
    const { pathname, search } = new URL(made.transfer_api.put_url)
    for (let at = 0; at < file.size; at += partBytes) {
      const part = file.slice(at, at + partBytes)
      const range = `bytes ${at}-${at + part.size - 1}/${file.size}`
      await send(pathname + search, { method: 'PUT', body: part, headers: { 'content-range': range }, signal })
      onShare((at + part.size) / file.size)
    }
    const path = `/v1/assets/${made.asset.id}/complete-upload`
    const { error } = await request<Answer<typeof completedUploadSchema>>(path, { method: 'POST', signal, waitsForWork: true })
    if (error !== undefined) throw new RequestFailure(422, 'validation_error', error)
  } catch (error) {
    await deleteAsset(made.asset.id).catch(() => undefined)
    throw error
  }
}

/** Deletes an asset or an incomplete upload. */
export async function deleteAsset(id: string): Promise<void> {
  await send(`/v1/assets/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

/**
 * Sets an asset's picture, reduced if it is large.
 *
 * @throws {Error} when the browser cannot read it.
 */
export async function setPicture(id: string, file: Blob): Promise<void> {
  const canvas = await drawNoLarger(file, pictureSide)
  await send(`/v1/assets/${encodeURIComponent(id)}/picture`, { method: 'POST', body: { image: canvas.toDataURL('image/jpeg', 0.85) } })
}

/** Display names of the asset kinds. */
export const kindNames: Readonly<Record<UploadKind, string>> = {
  checkpoint: 'checkpoint',
  lora: 'LoRA',
  'textual-inversion': t`textual inversion`,
  vae: 'VAE',
  controlnet: 'ControlNet',
}

/** The kind of an asset, from the fields in the service's answer. */
export function kindOf({ asset_type: type, data }: ShownAsset): UploadKind {
  if (data.engine.startsWith('image/controlnet')) return 'controlnet'
  return type === 'textual_inversion' ? 'textual-inversion' : type
}
