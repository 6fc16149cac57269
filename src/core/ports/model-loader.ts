import type { ImageModelDescriptor, TextModelDescriptor } from '../model.ts'
import type { ImageModel } from './image-model.ts'
import type { TextModel } from './text-model.ts'

/** A loaded model, usually a child process; disposing it frees the memory. */
export interface LoadedModel<Model> extends AsyncDisposable {
  readonly model: Model
  /** Concurrent requests it can handle. */
  readonly slots: number
  /** Resolves when the model has exited for any reason; never rejects. */
  readonly exited: Promise<{ readonly reason: string }>
  /** Current resident bytes. */
  memoryBytes(): number
  /** Peak resident bytes since loading; absent = use the current value. */
  peakMemoryBytes?(): number
}

export interface LoadOptions {
  readonly signal: AbortSignal
  /** Called with the share of the weights read, 0 to 1, if the engine reports it. */
  readonly onProgress?: (part: number) => void
}

/** Starts engines; the residency loop decides when. */
export interface ModelLoader {
  /**
   * Loads a text model; the result is ready for requests.
   *
   * @throws {ServiceError} the engine's error about the model's files, or `inference_failed` if it dies or takes too long.
   */
  loadText(descriptor: TextModelDescriptor, options: LoadOptions): Promise<LoadedModel<TextModel>>
  /** Loads an image model, as {@link loadText}. */
  loadImage(descriptor: ImageModelDescriptor, options: LoadOptions): Promise<LoadedModel<ImageModel>>
}
