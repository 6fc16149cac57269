import type { AssetDescriptor } from '../../core/assets/asset.ts'
import type { ConsoleImageModel } from './models.ts'

/** A file of weights that a drawing can name. */
export interface ImageAsset extends Pick<AssetDescriptor, 'kind' | 'family'> {
  /** What requests call it. */
  readonly name: string
  /** What people call it. */
  readonly label: string
}

/** GET /console/api/image-assets: what the caller's drawings can name besides the installed models. */
export interface ImageAssetList {
  /** Uploaded checkpoints, the caller's own and public ones. */
  readonly checkpoints: readonly ConsoleImageModel[]
  /** Installed ones, the caller's uploads, and public ones. */
  readonly assets: readonly ImageAsset[]
}
