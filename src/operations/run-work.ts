import type { Caller } from '../core/access-token.ts'
import { ServiceError } from '../core/error.ts'
import type { ImageProgress, ImageResult } from '../core/image-generation.ts'
import type { DrawnWork, InferenceWork, Submission, Work } from '../core/inference.ts'
import type { ModelLease } from '../core/ports/model-pool.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { EmbeddingRequest, EmbeddingResult, RankRequest, RankResult, TextPart } from '../core/text-generation.ts'
import type { Abortable } from '../core/waiting.ts'
import { wishOf } from './budgets/wish-of.ts'
import { collectText, type TextResult } from './collect-text.ts'
import { startText } from './generate-text.ts'
import { type HeldSlot, holdSlot, type RunDependencies } from './model-slot.ts'
import { type InteractiveDependencies, type RequestedWork, runAndRecord } from './recorded-work.ts'
import type { UsageMeter } from './usage-meter.ts'
import { ImageTimer } from './work-timers.ts'

/** The result of deferred work, before it is encoded for clients. */
export type WorkResult =
  | { readonly kind: 'image' | 'enlargement'; readonly result: ImageResult }
  | { readonly kind: 'chat'; readonly result: TextResult }
  | { readonly kind: 'embedding'; readonly result: EmbeddingResult }

type OnProgress = (progress: ImageProgress) => void

/** A request with the caller's identity and signal. */
interface Requested<Request> {
  readonly caller: Caller
  readonly request: Request
}

export interface WorkOptions extends Abortable {
  readonly meter: UsageMeter
  readonly onProgress: OnProgress
  /** Called with each part of a text. */
  readonly onText: (part: TextPart) => void
}

interface RunOptions extends Abortable {
  readonly meter: UsageMeter
  /** Whether the request is asynchronous. */
  readonly deferred: boolean
}

/**
 * Draws or enlarges pictures while the caller waits, and records the usage.
 *
 * @throws {ServiceError} the errors of reserving, the pool and the model, and `inference_timeout`; so do the functions below.
 */
export function generateImage(
  deps: InteractiveDependencies,
  requested: RequestedWork<DrawnWork>,
  { signal, onProgress = () => {} }: Abortable & { readonly onProgress?: OnProgress },
): Promise<ImageResult> {
  return runAndRecord(deps, requested, ({ submission, meter }) => draw(deps, submission, { signal, meter, deferred: false, onProgress }), {
    signal,
  })
}

/** Embeds texts whose caller waits, and records the usage. */
export function createEmbedding(
  deps: InteractiveDependencies,
  { caller, request }: Requested<EmbeddingRequest>,
  { signal }: Abortable,
): Promise<EmbeddingResult> {
  const work = { kind: 'embedding', request, asBase64: false } as const
  return runAndRecord(deps, { caller, work }, ({ submission, meter }) => embed(deps, submission, { signal, meter, deferred: false }), {
    signal,
  })
}

/**
 * Scores documents against a query while the caller waits, and records the usage.
 *
 * @throws {ServiceError} `unsupported_parameter` if the model cannot rank.
 */
export function rankDocuments(
  deps: InteractiveDependencies,
  { caller, request }: Requested<RankRequest>,
  { signal }: Abortable,
): Promise<RankResult> {
  const { model } = request
  return runAndRecord(
    deps,
    { caller, work: { kind: 'rerank', request } },
    async ({ submission, meter }) => {
      await using slot = await readingSlot(deps, submission, { signal, meter, deferred: false })
      if (slot.model.rank === undefined)
        throw new ServiceError('unsupported_parameter', `The model ${model} runs on a server that cannot rank texts; use a reranker.`, {
          param: 'model',
        })
      return meter.countReading(await slot.model.rank(request, { signal: slot.signal }))
    },
    { signal },
  )
}

/**
 * Runs deferred work in the same way as interactive work, but returns texts as a whole.
 *
 * @throws {ServiceError} as the interactive functions.
 */
export async function runWork(
  deps: RunDependencies,
  { work, ...rest }: Submission<InferenceWork>,
  { signal, meter, onProgress, onText }: WorkOptions,
): Promise<WorkResult> {
  const options = { signal, meter, deferred: true }
  if (work.kind === 'image' || work.kind === 'enlargement')
    return { kind: work.kind, result: await draw(deps, { ...rest, work }, { ...options, onProgress }) }
  if (work.kind === 'embedding') return { kind: 'embedding', result: await embed(deps, { ...rest, work }, options) }
  await using text = await startText(deps, { ...rest, work }, options)
  const total = work.request.maxTokens * work.request.choices
  let step = 0
  const note = (part: TextPart): void => {
    text.note(part)
    onText(part)
    if (part.type === 'text') onProgress({ step: ++step, total })
  }
  return { kind: 'chat', result: await collectText(text.parts, note) }
}

async function draw(
  deps: RunDependencies,
  submission: Submission<DrawnWork>,
  { signal, meter, deferred, onProgress }: RunOptions & { readonly onProgress: OnProgress },
): Promise<ImageResult> {
  const { accountId, work } = submission
  const { model } = work.request
  const sequences = work.kind === 'image' ? work.request.seeds.length : 1
  const acquire = () => deps.pool.acquireImage(model, { signal, account: accountId, sequences, deferred })
  await using slot = await reservedSlot(deps, submission, acquire, { signal, meter, deferred })
  const { clock, onWork } = deps
  const timer = new ImageTimer({ clock, onWork }, model)
  const options = {
    signal: slot.signal,
    onProgress(progress: ImageProgress) {
      timer.note(progress)
      onProgress(progress)
    },
  }
  const result = await (work.kind === 'image' ? slot.model.generate(work.request, options) : slot.model.enlarge?.(work.request, options))
  if (result === undefined) throw new ServiceError('unsupported', `${model} draws images; use an upscaler.`, { param: 'model' })
  timer?.end()
  return meter.countImages(result)
}

async function embed(
  deps: RunDependencies,
  submission: Submission<Extract<Work, { readonly kind: 'embedding' }>>,
  { signal, meter, deferred }: RunOptions,
): Promise<EmbeddingResult> {
  await using slot = await readingSlot(deps, submission, { signal, meter, deferred })
  return meter.countReading(await slot.model.embed(submission.work.request, { signal: slot.signal }))
}

function readingSlot(deps: RunDependencies, submission: Submission, { signal, meter, deferred }: RunOptions): Promise<HeldSlot<TextModel>> {
  const { accountId, work } = submission
  return reservedSlot(deps, submission, () => deps.pool.acquireText(work.request.model, { signal, account: accountId, deferred }), {
    signal,
    meter,
    deferred,
  })
}

/**
 * Leases a slot for work of known size. Deferred work gets its slot before it counts as running, so that the worker knows its free
 * capacity.
 */
async function reservedSlot<Model>(
  deps: RunDependencies,
  submission: Submission,
  acquire: () => Promise<ModelLease<Model>>,
  { signal, meter, deferred }: RunOptions,
): Promise<HeldSlot<Model>> {
  const wish = wishOf(deps, submission, { running: true })
  if (!deferred) meter.noteGrant(await deps.ledger.reserve(wish, { signal }))
  await using stack = new AsyncDisposableStack()
  const slot = stack.use(await holdSlot(deps, acquire(), { signal, model: submission.work.request.model }))
  if (deferred) await deps.ledger.reserve(wish, { signal: slot.signal })
  stack.move()
  return slot
}
