import type { ImageModelDescriptor, TextModelDescriptor } from '../model.ts'
import type { ImageModel } from './image-model.ts'
import type { TextModel } from './text-model.ts'

/** A model in memory, usually a child process; disposing it frees the memory. */
export interface LoadedModel<Model> extends AsyncDisposable {
  readonly model: Model
  /** Requests it can work on at once. */
  readonly slots: number
  /** Resolves, never rejects, when the model is gone for whatever reason. */
  readonly exited: Promise<{ readonly reason: string }>
  /** Resident bytes now. */
  memoryBytes(): number
}

/** Starts engines; the residency loop decides when. */
export interface ModelLoader {
  loadText(descriptor: TextModelDescriptor, options: { readonly signal: AbortSignal }): Promise<LoadedModel<TextModel>>
  loadImage(descriptor: ImageModelDescriptor, options: { readonly signal: AbortSignal }): Promise<LoadedModel<ImageModel>>
}
