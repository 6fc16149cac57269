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
  /** The most resident bytes since it was loaded; absent = as now. */
  peakMemoryBytes?(): number
}

export interface LoadOptions {
  readonly signal: AbortSignal
  /** Hears how much of the weights has been read, 0 to 1, where the engine tells. */
  readonly onProgress?: (part: number) => void
}

/** Starts engines; the residency loop decides when. */
export interface ModelLoader {
  /**
   * Starts the engine of a text model; what is returned can be asked at once.
   *
   * @throws {ServiceError} what the engine says about the model's files, or `inference_failed` when it dies or takes too long.
   */
  loadText(descriptor: TextModelDescriptor, options: LoadOptions): Promise<LoadedModel<TextModel>>
  /** The same for an image model. */
  loadImage(descriptor: ImageModelDescriptor, options: LoadOptions): Promise<LoadedModel<ImageModel>>
}
