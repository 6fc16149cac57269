import type { ComputeDevice } from '../compute-device.ts'
import type { TextRequest } from '../text-generation.ts'
import type { Abortable } from '../waiting.ts'
import type { ImageModel } from './image-model.ts'
import type { TextModel } from './text-model.ts'

/** A slot on a loaded model; disposing it frees the slot. */
export interface ModelLease<Model> extends AsyncDisposable {
  readonly model: Model
}

export interface AcquireOptions {
  readonly signal: AbortSignal
  /** Slots are distributed fairly between accounts. */
  readonly account: string
  /** Number of completions or images in the request; they count like as many requests. Default 1. */
  readonly sequences?: number
  /** Key of the conversation: in a cluster, requests with the same key go to the same machine, whose cache is warm. */
  readonly conversation?: string
  /** Priority among the account's waiting requests, lower first; default 0. Does not affect other accounts. */
  readonly priority?: number | undefined
  /** Whether the request is asynchronous; it waits in the same line as the others. Default false. */
  readonly deferred?: boolean
  /** The expected first call: in a cluster it is sent with the slot request to start at once. */
  readonly ahead?: TextAhead
}

/** An expected text request, possibly with its prompt tokens. If the actual request differs, it is cancelled. */
export interface TextAhead {
  readonly asks: 'generate' | 'countPrompt'
  /** Must be the same object that is passed to the model. */
  readonly request: TextRequest
}

/**
 * Leases slots on models and loads them on first use. Waiting is limited per model.
 *
 * @throws {ServiceError} `model_not_found`; `unsupported` if the model exceeds the memory budget for all models;
 * `concurrency_limit_exceeded` if too many requests of the account wait; `server_is_overloaded` if too many wait in total or one waits too
 * long; `model_loading` if the model crashed while loading and is in back-off; `shutting_down`.
 */
export interface ModelPool {
  /** Waits for a slot on a text model. */
  acquireText(modelId: string, options: AcquireOptions): Promise<ModelLease<TextModel>>
  /** Waits for a slot on an image model. */
  acquireImage(modelId: string, options: AcquireOptions): Promise<ModelLease<ImageModel>>
  /**
   * Whether a slot is available now or after loading, so that the worker claims no more than fits. If callers are waiting, one deferred
   * request may wait among them, so that it is not always last.
   */
  hasRoom(modelId: string): boolean
  /** States of all models, for the models list, health and the console. */
  states(): readonly ModelState[]
  /** Loads a model; false = it was loaded, as far as this node reports. */
  load(modelId: string, options: Abortable): Promise<boolean>
  /** Unloads a model once its leases have ended; false = it was not loaded. */
  unload(modelId: string, options: Abortable): Promise<boolean>
}

export interface ModelState {
  readonly modelId: string
  readonly state: 'unloaded' | 'loading' | 'loaded' | 'backing-off'
  /** Resident bytes of its process; 0 when unloaded. */
  readonly memoryBytes: number
  /** Share of the model read during loading, 0 to 1; absent = not reported by its engine. */
  readonly loadProgress?: number | undefined
  readonly slots: number
  readonly inUse: number
  readonly waiting: number
  /** Start of the longest wait in Unix milliseconds; absent = no waiting requests, or not reported by the node. */
  readonly waitingSince?: number | undefined
  /** Share of a loaded text model's KV cache used by running requests, 0 to 1; absent = not reported. */
  readonly cacheUse?: number | undefined
  /** Number of machines that have it loaded; absent = a single machine. */
  readonly nodes?: number
  /** Context length of a loaded text model; absent = not reported. */
  readonly contextLength?: number | undefined
  /** Device of a loaded model; absent = not reported. */
  readonly device?: ComputeDevice | undefined
}
