import type { AnswerPlace } from './chat/conversation.ts'
import type { ErrorRecord } from './error.ts'
import type { EnlargementRequest, ImageRequest } from './image-generation.ts'
import type { EmbeddingRequest, RankRequest, TextRequest } from './text-generation.ts'

/**
 * The states of a deferred inference.
 *
 * - `pending`: entered at submit, by a drain, and by the sweep when a lease ran out with an attempt left.
 *   A crash leaves it as it is. Never deleted.
 * - `running`: entered by a worker's claim, which starts an attempt and a lease. After a crash the lease runs out
 *   and the sweep moves it on. Never deleted.
 * - `completed`: entered once, by a fenced completion, a cancel or the last lost attempt. Final. Its output is
 *   deleted 24 h later, the record 7 days after that.
 */
export type InferenceStatus = 'pending' | 'running' | 'completed'

export type Outcome = 'succeeded' | 'failed' | 'cancelled'
export type Priority = 'low' | 'normal'

/** The work of a deferred inference, exactly as the interactive path would run it. */
export type InferenceWork =
  | { readonly kind: 'image'; readonly request: ImageRequest }
  /** A conversation, or a prompt to go on with. */
  | {
      readonly kind: 'chat'
      readonly request: TextRequest
      /** The message of a kept conversation that it writes; absent = none. */
      readonly place?: AnswerPlace
    }
  | { readonly kind: 'embedding'; readonly request: EmbeddingRequest; readonly asBase64: boolean }
  | { readonly kind: 'enlargement'; readonly request: EnlargementRequest }

/** What a record says that an inference makes: enlarged pictures are pictures. */
export type InferenceKind = Exclude<InferenceWork['kind'], 'enlargement'>

/** The kind that the record of work has, which other versions and clients know. */
export function inferenceKind({ kind }: InferenceWork): InferenceKind {
  return kind === 'enlargement' ? 'image' : kind
}

/** Work on a model. Documents are ranked only while the caller waits. */
export type Work = InferenceWork | { readonly kind: 'rerank'; readonly request: RankRequest }

/** Work from the request that asks for it to the books. */
export interface Submission<Kind extends Work = Work> {
  /** Of the inference, of what is set aside for it and of its place in the books. */
  readonly id: string
  readonly accountId: string
  /** null = a signed-in browser. */
  readonly tokenId: string | null
  /** The trace that it was asked for in, as W3C's `traceparent`; null = none. */
  readonly traceparent: string | null
  readonly work: Kind
}

/** Denoising steps or tokens done, out of how many. */
export interface Progress {
  readonly step: number
  readonly total: number
}

/** Where a stored output lies and how to tell that it is whole. */
export interface OutputReference {
  /** Where the output store keeps it; means nothing to anybody else. */
  readonly key: string
  readonly contentType: string
  readonly bytes: number
  /** Hex SHA-256 of the bytes; also the strong ETag. */
  readonly sha256: string
  /** What pictures it holds and where; absent = none, or stored before this was noted. */
  readonly images?: StoredImages
}

/** The pictures of a stored output, so that nobody has to read it whole for one of them. */
export interface StoredImages {
  readonly computeMs: number
  readonly pictures: readonly StoredPicture[]
}

/** One picture of a stored output; its base64 text lies at `offset`. */
export interface StoredPicture {
  readonly seed: number
  /** Whether there is nothing but the fact that it was removed for safety. */
  readonly removedForSafety: boolean
  /** Bytes before it, and its own. */
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
  /** Set exactly when succeeded; stays after the bytes are deleted. */
  readonly output: OutputReference | null
  /** Claims so far; 0 before the first. */
  readonly attempt: number
  readonly progress: Progress | null
  /** Place in the queue, 1 = next; only when pending. */
  readonly queuePosition: number | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly completedAt: number | null
  /** When the output is deleted; null before completion. */
  readonly expiresAt: number | null
}

/** Attempts in all before an inference fails whose attempts end without a result. */
export const maxAttempts = 3
/** Attempts that killed their engine after which a request is held to be poison. */
export const maxDeadlyAttempts = 2
/** After how long in the queue work of low priority takes its turn with the normal. */
export const lowPriorityAgesMs = 10 * 60 * 1000
/** How long the output of a completed inference is kept. */
export const outputRetentionMs = 24 * 60 * 60 * 1000
/** How long its record stays after the output is gone. */
export const recordRetentionMs = 7 * 24 * 60 * 60 * 1000
