import type { ComputeDevice } from '../compute-device.ts'
import type { TextRequest } from '../text-generation.ts'
import type { ImageModel } from './image-model.ts'
import type { TextModel } from './text-model.ts'

/** A slot on a loaded model; disposing it frees the slot. */
export interface ModelLease<Model> extends AsyncDisposable {
  readonly model: Model
}

export interface AcquireOptions {
  readonly signal: AbortSignal
  /** Slots are shared out fairly between accounts. */
  readonly account: string
  /** Completions or pictures that the slot will make, so that many in one request get no more than many requests; default 1. */
  readonly sequences?: number
  /** What the requests of one conversation have in common: where there are several machines they go to the same, whose cache is warm. */
  readonly conversation?: string
  /** How urgent it is among what waits of its account, lower first; default 0. It never comes before another account for that. */
  readonly priority?: number
  /** Whether nobody waits for it at a connection: it keeps its place in the line beside those who do; default false. */
  readonly deferred?: boolean
  /** The first call that most likely follows: it is sent along with the request for a slot on another machine, which begins at once. */
  readonly ahead?: TextAhead
}

/** A text that a model is about to be asked for, or the tokens of its prompt. Asked for otherwise or not at all, it is stopped. */
export interface TextAhead {
  readonly asks: 'generate' | 'countPrompt'
  /** The very object that the model will be given. */
  readonly request: TextRequest
}

/**
 * Hands out slots on models, loading them on first use. Waiting is bounded per model.
 *
 * @throws {ServiceError} `model_not_found`; `unsupported` when the model is larger than all memory that models may take;
 *   `concurrency_limit_exceeded` when too many of the account wait;
 *   `server_is_overloaded` when too many wait or one waited too long;
 *   `model_loading` when the model crashed while loading and is backing off; `shutting_down`.
 */
export interface ModelPool {
  /** Waits for a slot on a text model. */
  acquireText(modelId: string, options: AcquireOptions): Promise<ModelLease<TextModel>>
  /** Waits for a slot on an image model. */
  acquireImage(modelId: string, options: AcquireOptions): Promise<ModelLease<ImageModel>>
  /**
   * Whether a slot could be had at once or after loading, so that the worker claims no more than fits. Where callers wait, one deferred run may
   * wait among them, or theirs would always come first.
   */
  hasRoom(modelId: string): boolean
  /** Every model's state, for the models list, health and the console. */
  states(): readonly ModelState[]
  /** Loads a model now. */
  load(modelId: string, options: { readonly signal: AbortSignal }): Promise<void>
  /** Unloads a model once its leases are back. */
  unload(modelId: string, options: { readonly signal: AbortSignal }): Promise<void>
}

export interface ModelState {
  readonly modelId: string
  readonly state: 'unloaded' | 'loading' | 'loaded' | 'backing-off'
  /** Resident bytes of its process; 0 when unloaded. */
  readonly memoryBytes: number
  /** Of a model that is being loaded: how much of it has been read, 0 to 1; absent = its engine does not report it. */
  readonly loadProgress?: number | undefined
  readonly slots: number
  readonly inUse: number
  readonly waiting: number
  /** Unix milliseconds since when the one that waits longest does; absent = none waits, or its node does not report it. */
  readonly waitingSince?: number | undefined
  /** Of a loaded text model: share of its KV cache that running requests fill, 0 to 1, as far as its runtime tells. */
  readonly cacheUse?: number | undefined
  /** Machines that have it in memory; absent where there is one machine. */
  readonly nodes?: number
  /** Of a loaded text model, as far as its runtime tells. */
  readonly contextLength?: number | undefined
  /** Of a loaded model, as far as its runtime tells. */
  readonly device?: ComputeDevice | undefined
}
