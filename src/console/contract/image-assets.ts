import type { AssetDescriptor } from '../../core/assets/asset.ts'
import type { ConsoleImageModel } from './models.ts'

/** An asset that a drawing can use. */
export interface ImageAsset extends Pick<AssetDescriptor, 'kind' | 'family' | 'families' | 'embeds' | 'width' | 'textWidths'> {
  /** Its name in requests. */
  readonly name: string
  /** Its display name. */
  readonly label: string
}

/** GET /console/api/image-assets: what the caller's drawings can use besides the installed models. */
export interface ImageAssetList {
  /** Uploaded checkpoints, the caller's own and public ones. */
  readonly checkpoints: readonly ConsoleImageModel[]
  /** Installed assets, the caller's uploads, and public ones. */
  readonly assets: readonly ImageAsset[]
}
