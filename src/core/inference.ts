import type { AnswerPlace } from './chat/conversation.ts'
import type { ErrorRecord } from './error.ts'
import type { EnlargementRequest, ImageRequest } from './image-generation.ts'
import type { EmbeddingRequest, RankRequest, TextRequest } from './text-generation.ts'

/**
 * The states of a deferred inference.
 *
 * - `pending`: entered at submission, when a worker drains, and by the sweep when a lease expires with an attempt left. A crash does not
 *   change it. Never deleted.
 * - `running`: entered by a worker's claim, which starts an attempt and a lease. After a crash the lease expires and the sweep requeues or
 *   fails it. Never deleted.
 * - `completed`: entered once, by a fenced completion, a cancel or the loss of the last attempt. Final. Its output is deleted 24 h later,
 *   the record 7 days after that.
 */
export type InferenceStatus = 'pending' | 'running' | 'completed'

export type Outcome = 'succeeded' | 'failed' | 'cancelled'
export type Priority = 'low' | 'normal'

/** The work of a deferred inference, in the form the interactive path uses. */
export type InferenceWork =
  | { readonly kind: 'image'; readonly request: ImageRequest }
  /** A conversation, or a prompt to continue. */
  | {
      readonly kind: 'chat'
      readonly request: TextRequest
      /** The message of a stored conversation that the answer goes into; absent = none. */
      readonly place?: AnswerPlace
    }
  | { readonly kind: 'embedding'; readonly request: EmbeddingRequest; readonly asBase64: boolean }
  | { readonly kind: 'enlargement'; readonly request: EnlargementRequest }

/** Work that results in pictures. */
export type DrawnWork = Extract<InferenceWork, { readonly kind: 'image' | 'enlargement' }>

/** The kinds in a record: enlarging counts as an image. */
type InferenceKind = Exclude<InferenceWork['kind'], 'enlargement'>

/** The recorded kind of some work, which other versions and clients understand. */
export function inferenceKind({ kind }: InferenceWork): InferenceKind {
  return kind === 'enlargement' ? 'image' : kind
}

/** Work on a model. Ranking documents cannot be deferred. */
export type Work = InferenceWork | { readonly kind: 'rerank'; readonly request: RankRequest }

/** Work with its accounting data, from the request to the usage entry. */
export interface Submission<Kind extends Work = Work> {
  /** Id of the inference, of its budget reservation and of its usage entry. */
  readonly id: string
  readonly accountId: string
  /** null = a signed-in browser. */
  readonly tokenId: string | null
  /** Trace of the request, as W3C `traceparent`; null = none. */
  readonly traceparent: string | null
  readonly work: Kind
}

/** Denoising steps or tokens completed and in total. */
export interface Progress {
  readonly step: number
  readonly total: number
}

/** Location and checksum of a stored output. */
export interface OutputReference {
  /** Key in the output store; opaque to everything else. */
  readonly key: string
  readonly contentType: string
  readonly bytes: number
  /** Hex SHA-256 of the bytes; also the strong ETag. */
  readonly sha256: string
  /** Its pictures and their positions; absent = none, or stored by an older version. */
  readonly images?: StoredImages
}

/** Positions of the pictures in a stored output, so that one can be read without the rest. */
export interface StoredImages {
  readonly computeMs: number
  readonly pictures: readonly StoredPicture[]
}

/** One picture of a stored output; its base64 text starts at `offset`. */
export interface StoredPicture {
  readonly seed: number
  /** Whether the picture was removed for safety and no bytes are left. */
  readonly removedForSafety: boolean
  /** Offset and length in bytes. */
  readonly offset: number
  readonly length: number
  /** Hex SHA-256 of the picture's file, not of its base64. */
  readonly sha256: string
}

/** The record of a deferred inference, without its (possibly large) work. All times in Unix milliseconds. */
export interface Inference {
  readonly id: string
  readonly accountId: string
  readonly kind: InferenceKind
  readonly model: string
  readonly priority: Priority
  readonly status: InferenceStatus
  /** Set exactly when completed. */
  readonly outcome: Outcome | null
  /** Set exactly when the outcome is failed or cancelled. */
  readonly error: ErrorRecord | null
  /** Set when succeeded, and when failed with a part of a text written; stays after the bytes are deleted. */
  readonly output: OutputReference | null
  /** Claims so far; 0 before the first. */
  readonly attempt: number
  readonly progress: Progress | null
  /** Place in the queue, 1 = next; only when pending. */
  readonly queuePosition: number | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly completedAt: number | null
  /** Deletion time of the output; null before completion. */
  readonly expiresAt: number | null
}

/** Maximum number of attempts before an inference fails. */
export const maxAttempts = 3
/** Maximum number of attempts that kill their engine before an inference fails. */
export const maxDeadlyAttempts = 2
/** Time in the queue after which low-priority work counts as normal. */
export const lowPriorityAgesMs = 10 * 60 * 1000
/** Retention of the output of a completed inference. */
export const outputRetentionMs = 24 * 60 * 60 * 1000
/** Retention of the record after the output was deleted. */
export const recordRetentionMs = 7 * 24 * 60 * 60 * 1000

/** The record of a newly submitted inference. */
export function makePendingInference(
  { id, accountId, kind, model, priority }: Pick<Inference, 'id' | 'accountId' | 'kind' | 'model' | 'priority'>,
  createdAt: number,
): Inference {
  return {
    id,
    accountId,
    kind,
    model,
    priority,
    status: 'pending',
    outcome: null,
    error: null,
    output: null,
    attempt: 0,
    progress: null,
    queuePosition: null,
    createdAt,
    startedAt: null,
    completedAt: null,
    expiresAt: null,
  }
}
