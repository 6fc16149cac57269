import type { UploadKind } from '../../../../core/assets/uploaded-asset.ts'
import { t } from '../../language/t.ts'
import type { ShownAsset } from './asset-requests.ts'

/** What kinds of assets are called. */
export const kindNames: Readonly<Record<UploadKind, string>> = {
  checkpoint: 'checkpoint',
  lora: 'LoRA',
  'textual-inversion': t`textual inversion`,
  vae: 'VAE',
  controlnet: 'ControlNet',
}

/** What an asset is, of the words that the service answers. */
export function kindOf({ asset_type: type, data }: ShownAsset): UploadKind {
  if (data.engine.startsWith('image/controlnet')) return 'controlnet'
  return type === 'textual_inversion' ? 'textual-inversion' : type
}
