import type { ImageModelDescriptor, ModelDescriptor } from '../model.ts'

/** The models the service knows. */
export interface ModelCatalog {
  list(): readonly ModelDescriptor[]
  find(modelId: string): ModelDescriptor | undefined
  /** The model used where a route names none: the first image model, built-in last. */
  defaultImageModel(): ImageModelDescriptor | undefined
}
