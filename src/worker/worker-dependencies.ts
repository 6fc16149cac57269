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
  /** Registry of running inferences, which end when their account is disabled. */
  readonly underWay: WorkUnderWay
  /** Encodes a result for clients. */
  readonly encodeOutput: EncodeOutput
  readonly onEvent: (event: WorkerEvent) => void
  /** Called with each stored output, for the request log. */
  readonly onOutput: (inference: Inference, output: EncodedOutput) => void
  /** Stores a text in its conversation. */
  readonly endAnswer: (answer: WrittenAnswer, ending: AnswerEnding) => Promise<void>
  /** Called with the events of running and storing. */
  readonly onWork: (event: WorkEvent) => void
  /** Whether another node has a model loaded. */
  readonly isLoadedElsewhere: (modelId: string) => boolean
  /** The kind of this node's model with an id, since other nodes may have another kind. */
  readonly kindOf: (modelId: string) => ModelDescriptor['kind'] | undefined
  /** Runs a claim within its trace. */
  readonly trace: (claim: Claim, submission: Submission<InferenceWork>, run: () => Promise<void>) => Promise<void>
}

export type EncodeOutput = (work: InferenceWork, result: WorkResult) => EncodedOutput

export interface WorkerSettings {
  /** Unique name of the worker in the store. */
  readonly workerId: string
  /** Maximum number of concurrent inferences. */
  readonly concurrency: number
  readonly leaseMs: number
  readonly runLimitMs: number
}

/** Events of a worker, for logs and metrics. */
export type WorkerEvent =
  | { readonly type: 'claimed'; readonly inference: Inference; readonly queuedMs: number }
  | { readonly type: 'completed'; readonly inference: Inference; readonly completion: Completion; readonly usage: UsageEntry }
  /** The inference is pending again. */
  | { readonly type: 'requeued'; readonly inference: Inference; readonly reason: 'drain' | 'lost' | 'failed' | 'no-room' }
  /** Another worker holds the inference, or it is completed; this result was discarded. */
  | { readonly type: 'fenced'; readonly inference: Inference }
  /** An external failure that will be retried. */
  | { readonly type: 'fault'; readonly duty: string; readonly error: unknown }
