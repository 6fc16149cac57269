import type { AssetDescriptor, AssetKind, UnusableFile } from '../assets/asset.ts'
import type { ImageModelDescriptor, ModelDescriptor } from '../model.ts'

/** The models and assets the service knows. */
export interface ModelCatalog {
  /** Every installed model, hidden ones among them. */
  list(): readonly ModelDescriptor[]
  /** Undefined when no model has this id. */
  find(modelId: string): ModelDescriptor | undefined
  /** The model used where a route names none: the first image model it takes, built-in last. */
  defaultImageModel(accepts?: (model: ImageModelDescriptor) => boolean): ImageModelDescriptor | undefined
  /** Every installed file that requests may name besides a model. */
  listAssets(): readonly AssetDescriptor[]
  /** Undefined when no usable file of this kind has this name. */
  findAsset(kind: AssetKind, name: string): AssetDescriptor | undefined
  /** A file of that name that is there but cannot be used. */
  findUnusable(name: string): UnusableFile | undefined
}
