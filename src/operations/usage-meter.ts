import type { ImageResult } from '../core/image-generation.ts'
import { inferenceKind, type Submission, type Work } from '../core/inference.ts'
import type { BudgetGrant } from '../core/limits/budget.ts'
import { costOf, type ModelPrice } from '../core/limits/model-price.ts'
import type { Clock } from '../core/ports/clock.ts'
import { promptTexts, tokensPerPicture } from '../core/text/prompt-texts.ts'
import type { TextPart } from '../core/text-generation.ts'
import type { UsageEntry } from '../core/usage.ts'
import { type BudgetDependencies, estimatePrompt } from './budgets/wish-of.ts'

/** Starts counting a piece of work. */
export function meterOf(
  { clock, priceOf }: Pick<BudgetDependencies, 'clock' | 'priceOf'>,
  { accountId, tokenId, work }: Submission,
): UsageMeter {
  const { model } = work.request
  const expectPrompt =
    work.kind === 'chat'
      ? () => estimatePrompt(work.request).least + promptTexts(work.request.input).pictures * tokensPerPicture
      : undefined
  return new UsageMeter(clock, { accountId, tokenId, model, kind: usageKind(work) }, priceOf?.(model), expectPrompt)
}

function usageKind(work: Work): UsageEntry['kind'] {
  if (work.kind === 'rerank') return 'rerank'
  return work.kind === 'chat' && work.request.input.type === 'prompt' ? 'completion' : inferenceKind(work)
}

/** Counts the usage of work while it runs, interactive or deferred. */
export class UsageMeter {
  readonly #clock: Clock
  readonly #subject: Pick<UsageEntry, 'accountId' | 'tokenId' | 'model' | 'kind'>
  readonly #price: ModelPrice | null
  readonly #expectPrompt: () => number
  readonly #startedAt: number
  /** Null = not counted yet. */
  #promptTokens: number | null = null
  #completionTokens = 0
  #images = 0
  #firstTokenAt: number | null = null
  #finished = false
  #isReserved = true

  /**
   * @param price Current price of the model; null = free.
   * @param expectPrompt Estimate for a model that reports prompt tokens only at the end, used if the end never came; absent = reported at
   * the start.
   */
  constructor(
    clock: Clock,
    subject: Pick<UsageEntry, 'accountId' | 'tokenId' | 'model' | 'kind'>,
    price: ModelPrice | null = null,
    expectPrompt: () => number = () => 0,
  ) {
    this.#clock = clock
    this.#subject = subject
    this.#price = price
    this.#expectPrompt = expectPrompt
    this.#startedAt = clock.steadyNow()
  }

  /** Whether the work ended by itself. */
  get finished(): boolean {
    return this.#finished
  }

  /** Whether a budget may hold a reservation of the work. */
  get isReserved(): boolean {
    return this.#isReserved
  }

  /** Notes whether a budget limits the work, from the answer to its reservation. */
  noteGrant({ isLimited }: BudgetGrant): void {
    this.#isReserved = isLimited
  }

  /** Counts a prompt that is about to be processed: it is charged even if the caller leaves early. */
  notePrompt(tokens: number): void {
    this.#promptTokens = tokens
  }

  /**
   * Counts a part on its way to the client. Until the final part reports exact numbers, each part of text, reasoning or arguments counts as
   * a token.
   */
  noteText(part: TextPart): void {
    if (part.type === 'text' || part.type === 'thoughts') this.#firstTokenAt ??= this.#clock.steadyNow()
    if (part.type === 'text' || part.type === 'thoughts' || part.type === 'tool-arguments') this.#completionTokens += 1
    if (part.type === 'prompt') this.#promptTokens = part.usage.promptTokens
    if (part.type !== 'finish') return
    this.#promptTokens = part.usage.promptTokens
    this.#completionTokens = part.usage.completionTokens
    this.#finished = true
  }

  countImages(result: ImageResult): ImageResult {
    this.#images = result.images.length
    this.#finished = true
    return result
  }

  /** Counts texts that are only read, as for embeddings. */
  countReading<Result extends { readonly promptTokens: number }>(result: Result): Result {
    this.#promptTokens = result.promptTokens
    this.#finished = true
    return result
  }

  /** The usage entry for an end with this outcome, now. */
  entry(outcome: UsageEntry['outcome']): UsageEntry {
    const promptTokens = this.#promptTokens ?? (this.#completionTokens > 0 ? this.#expectPrompt() : 0)
    const used = { promptTokens, completionTokens: this.#completionTokens, images: this.#images }
    return {
      ...this.#subject,
      outcome,
      ...used,
      cost: costOf(this.#price, used),
      durationMs: this.#clock.steadyNow() - this.#startedAt,
      firstTokenMs: this.#firstTokenAt === null ? null : this.#firstTokenAt - this.#startedAt,
      at: this.#clock.now(),
    }
  }
}
