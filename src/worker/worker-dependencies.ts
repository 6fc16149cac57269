import type { Inference, InferenceWork, Submission } from '../core/inference.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { Claim, Completion, InferenceQueue } from '../core/ports/inference-queue.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { UsageEntry } from '../core/usage.ts'
import type { WorkEvent } from '../core/work-event.ts'
import type { WorkUnderWay } from '../operations/access/work-under-way.ts'
import type { BudgetDependencies } from '../operations/budgets/wish-of.ts'
import type { AnswerEnding, WrittenAnswer } from '../operations/conversations/kept-answers.ts'
import type { InferenceEvents } from '../operations/deferred/inference-events.ts'
import type { EncodedOutput } from '../operations/deferred/outputs.ts'
import type { WorkResult } from '../operations/run-work.ts'

export interface WorkerDependencies extends BudgetDependencies {
  readonly queue: InferenceQueue
  readonly outputs: OutputStore
  readonly pool: ModelPool
  readonly events: InferenceEvents
  /** Where running inferences note themselves, so that they end when their account is disabled. */
  readonly underWay: WorkUnderWay
  /** Turns a result into the bytes a caller fetches. */
  readonly encodeOutput: EncodeOutput
  readonly onEvent: (event: WorkerEvent) => void
  /** Called with each output that is stored, for the request log. */
  readonly onOutput: (inference: Inference, output: EncodedOutput) => void
  /** Keeps what was written of an answer in the conversation it belongs to. */
  readonly endAnswer: (answer: WrittenAnswer, ending: AnswerEnding) => Promise<void>
  /** Called with what running and storing spend their time on. */
  readonly onWork: (event: WorkEvent) => void
  /** Whether another node has a model in memory. */
  readonly isLoadedElsewhere: (modelId: string) => boolean
  /** What a model of this node is, where other nodes may have one of the same id that is of another kind. */
  readonly kindOf: (modelId: string) => ModelDescriptor['kind'] | undefined
  /** Runs a claim in its place of a trace. */
  readonly trace: (claim: Claim, submission: Submission<InferenceWork>, run: () => Promise<void>) => Promise<void>
}

export type EncodeOutput = (work: InferenceWork, result: WorkResult) => EncodedOutput

export interface WorkerSettings {
  /** Tells workers apart in the store. */
  readonly workerId: string
  /** Inferences at once, over all models. */
  readonly concurrency: number
  readonly leaseMs: number
  readonly runLimitMs: number
}

/** What a worker tells about its work, for logs and metrics. */
export type WorkerEvent =
  | { readonly type: 'claimed'; readonly inference: Inference; readonly queuedMs: number }
  | { readonly type: 'completed'; readonly inference: Inference; readonly completion: Completion; readonly usage: UsageEntry }
  /** The inference is pending again. */
  | { readonly type: 'requeued'; readonly inference: Inference; readonly reason: 'drain' | 'lost' | 'failed' | 'no-room' }
  /** Another worker holds the inference by now, or it is completed; this one's result was refused. */
  | { readonly type: 'fenced'; readonly inference: Inference }
  /** Something outside the inference failed and will be tried again. */
  | { readonly type: 'fault'; readonly duty: string; readonly error: unknown }
