import type { AssetDescriptor } from '../../core/assets/asset.ts'
import type { ComputeDevice, DeviceChoice } from '../../core/compute-device.ts'
import type { ErrorCode, FieldFault } from '../../core/error.ts'
import type { EnlargementRequest, ImageProgress, ImageRequest, ImageResult } from '../../core/image-generation.ts'
import type { ModelDescriptor, UpscalerFacts } from '../../core/model.ts'
import type { TextFigures } from '../../core/ports/text-model.ts'
import type {
  DetokenizeRequest,
  DetokenizeResult,
  EmbeddingRequest,
  EmbeddingResult,
  RankRequest,
  RankResult,
  TextPart,
  TextRequest,
  TokenizeRequest,
  TokenizeResult,
} from '../../core/text-generation.ts'

/** Work for an engine; `id` names the call in every message about it. */
export type EngineWork =
  | {
      readonly type: 'generate'
      readonly request: TextRequest
      readonly account: string
      /** Absent = it names none. */
      readonly adapters?: readonly AssetDescriptor[] | undefined
    }
  /** Counts the tokens of its prompt; the result is a number. */
  | { readonly type: 'count'; readonly request: TextRequest; readonly account: string }
  | { readonly type: 'embed'; readonly request: EmbeddingRequest }
  | { readonly type: 'rank'; readonly request: RankRequest }
  | { readonly type: 'tokenize'; readonly request: TokenizeRequest; readonly account: string }
  | { readonly type: 'detokenize'; readonly request: DetokenizeRequest }
  | {
      readonly type: 'draw'
      readonly request: ImageRequest
      readonly assets: readonly AssetDescriptor[]
      readonly upscaler: UpscalerFacts | null
    }
  | { readonly type: 'enlarge'; readonly request: EnlargementRequest }

/** Compute options of an engine. */
export interface EngineOptions extends DeviceChoice {
  readonly threads: number
  /** Pieces of work at once. */
  readonly slots: number
  /** Memory limit for all models together; absent = none. */
  readonly memoryBytes?: number
}

/** Messages from the service to an engine process, starting with `load`. */
export type ToEngine =
  | ({ readonly type: 'load'; readonly descriptor: ModelDescriptor } & EngineOptions)
  | { readonly type: 'start'; readonly id: number; readonly work: EngineWork }
  /** The reader has taken this many parts of a stream, so that many more may be sent. */
  | { readonly type: 'more'; readonly id: number; readonly parts: number }
  | { readonly type: 'abort'; readonly id: number }
  /** Threads to compute with from now on, where the engine can change them. */
  | { readonly type: 'threads'; readonly count: number }

/** Results of calls without streams. */
export type EngineResult = ImageResult | EmbeddingResult | RankResult | TokenizeResult | DetokenizeResult | number

/** An engine's messages about a call; the last is `done` or `failed`, even after an abort. */
export type CallReport =
  | { readonly type: 'part'; readonly id: number; readonly part: TextPart }
  | { readonly type: 'progress'; readonly id: number; readonly progress: ImageProgress }
  | { readonly type: 'done'; readonly id: number; readonly result?: EngineResult }
  | { readonly type: 'failed'; readonly id: number; readonly error: EngineFailure }

/** An engine's report about the loaded model. */
export interface EngineFacts {
  /** Context length of a text model. */
  readonly contextLength?: number | undefined
  readonly device?: ComputeDevice | undefined
}

/** Messages from an engine process. */
export type FromEngine =
  | CallReport
  | ({ readonly type: 'loaded' } & EngineFacts)
  /** Share of the model read so far, 0 to 1. */
  | { readonly type: 'loading'; readonly part: number }
  | { readonly type: 'load-failed'; readonly error: EngineFailure }
  /** Resident bytes of the process. */
  | { readonly type: 'memory'; readonly bytes: number }
  | { readonly type: 'figures'; readonly figures: TextFigures }

/** An error on its way between processes. */
export interface EngineFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly faults: readonly FieldFault[]
  /** Stack for the log; never sent to a client. */
  readonly cause: string | undefined
}

/** Parts of one stream that may be on their way to a reader that does not read. */
export const streamWindow = 256

/** Events of engine processes for the log; never prompts or outputs. */
export type EngineEvent =
  | { readonly type: 'started'; readonly modelId: string; readonly pid: number; readonly loadMs: number }
  | { readonly type: 'exited'; readonly modelId: string; readonly pid: number | undefined; readonly reason: string }
  /** The result of guesses since the model's last report. */
  | ({ readonly type: 'guessed'; readonly modelId: string } & Omit<TextFigures, 'cacheUse'>)
  /** A line the engine's libraries wrote to stdout or stderr. */
  | { readonly type: 'output'; readonly modelId: string; readonly pid: number | undefined; readonly line: string }
