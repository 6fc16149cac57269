import type { ImageProgress, ImageResult } from '../core/image-generation.ts'
import type { InferenceWork } from '../core/inference.ts'
import type { EmbeddingResult, TextPart } from '../core/text-generation.ts'
import { collectText, type TextResult } from './collect-text.ts'
import type { RunDependencies } from './hold-slot.ts'
import { runEmbedding } from './run-embedding.ts'
import { runImage } from './run-image.ts'
import { startText } from './start-text.ts'
import type { UsageMeter } from './usage-meter.ts'

/** What deferred work gave, before it is encoded as the caller will fetch it. */
export type WorkResult =
  | { readonly kind: 'image'; readonly result: ImageResult }
  | { readonly kind: 'chat'; readonly result: TextResult }
  | { readonly kind: 'embedding'; readonly result: EmbeddingResult }

export interface WorkOptions {
  readonly signal: AbortSignal
  readonly onProgress: (progress: ImageProgress) => void
  /** Told what a text model writes, part by part. */
  readonly onText: (part: TextPart) => void
}

/** Deferred work that a worker has taken. */
export interface ClaimedWork {
  readonly work: InferenceWork
  readonly accountId: string
  /** What was set aside for it while it waited is called so. */
  readonly reservation: string
  readonly meter: UsageMeter
}

/**
 * Runs deferred work just as the interactive path does, but collects a text before it is handed out.
 *
 * @throws {ServiceError} what {@link runImage} and {@link startText} throw, and what the text's parts do.
 */
export async function runWork(
  deps: RunDependencies,
  { work, accountId, reservation, meter }: ClaimedWork,
  { signal, onProgress, onText }: WorkOptions,
): Promise<WorkResult> {
  const { tokenId = null } = work
  if (work.kind === 'image')
    return {
      kind: 'image',
      result: meter.countImages(
        await runImage(deps, { accountId, request: work.request, reservation: { id: reservation, tokenId } }, { signal, onProgress }),
      ),
    }
  if (work.kind === 'embedding')
    return {
      kind: 'embedding',
      result: meter.countReading(
        await runEmbedding(deps, { accountId, request: work.request, reservation: { id: reservation, tokenId } }, { signal }),
      ),
    }
  const { request } = work
  await using text = await startText(deps, { accountId, tokenId, reservation, request, deferred: true }, { signal })
  const total = request.maxTokens * request.choices
  let step = 0
  const note = (part: TextPart): void => {
    text.note(part)
    meter.noteText(part)
    onText(part)
    if (part.type === 'text') onProgress({ step: ++step, total })
  }
  return { kind: 'chat', result: await collectText(text.parts, note) }
}
