import type { AssetDescriptor, AssetKind, UnusableFile } from '../assets/asset.ts'
import type { ImageModelDescriptor, ModelDescriptor } from '../model.ts'

/** The installed models and assets. */
export interface ModelCatalog {
  /** All installed models, including hidden ones. */
  list(): readonly ModelDescriptor[]
  /** Finds a model by id; undefined = none. */
  find(modelId: string): ModelDescriptor | undefined
  /** Default image model: the first accepted one, built-in ones last. */
  defaultImageModel(accepts?: (model: ImageModelDescriptor) => boolean): ImageModelDescriptor | undefined
  /** All installed assets. */
  listAssets(): readonly AssetDescriptor[]
  /** Finds a usable asset; undefined = none. */
  findAsset(kind: AssetKind, name: string): AssetDescriptor | undefined
  /** Finds an unsupported file by name. */
  findUnusable(name: string): UnusableFile | undefined
}
