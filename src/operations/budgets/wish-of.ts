import type { Submission } from '../../core/inference.ts'
import type { BudgetWish } from '../../core/limits/budget.ts'
import type { ModelPrice } from '../../core/limits/model-price.ts'
import type { BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { EmbeddingRequest, RankRequest, TextGap, TextRequest } from '../../core/text-generation.ts'

/** What reserving needs. */
export interface BudgetDependencies {
  readonly ledger: BudgetLedger
  readonly clock: Clock
  /** What a model costs now; null = nothing. */
  readonly priceOf: (model: string) => ModelPrice | null
}

/** Between what a prompt surely has and what it may have where only its model could count. */
export interface PromptTokens {
  readonly least: number
  readonly most: number
  /** Tokens that the model has left for the answer; absent = nobody knows. */
  readonly room?: number | undefined
}

/** Tokens per answer that are set aside where a request names no limit. The whole context would leave nothing for what the account asks beside it. */
const mostUnnamed = 4096

/**
 * What work can use at most, so that it is set aside before: its pictures, the most tokens that its inputs can have, or the prompt of a text and every choice to
 * its limit.
 *
 * @param options.running Whether it is in work from now on, rather than waits.
 * @param options.prompt The prompt of a text as its model counts it; absent = estimated.
 */
export function wishOf(
  { priceOf }: Pick<BudgetDependencies, 'priceOf'>,
  { id, accountId, tokenId, work }: Submission,
  { running, prompt }: { readonly running: boolean; readonly prompt?: PromptTokens },
): BudgetWish {
  const holder = { id, accountId, tokenId, running, price: priceOf(work.request.model) ?? null }
  const reading = (tokens: number): BudgetWish => ({
    ...holder,
    unit: 'tokens',
    tokens: { least: tokens, most: tokens },
    promptTokens: tokens,
    images: 0,
  })
  switch (work.kind) {
    case 'image':
    case 'enlargement': {
      const images = work.kind === 'image' ? work.request.seeds.length : 1
      return { ...holder, unit: 'images', tokens: { least: 0, most: 0 }, promptTokens: 0, images }
    }
    case 'embedding':
      return reading(estimateInputs(work.request))
    case 'rerank':
      return reading(estimatePairs(work.request))
    case 'chat': {
      const { least, most, room } = prompt ?? estimatePrompt(work.request)
      return { ...holder, unit: 'tokens', tokens: spanOf(work.request, { least, most, room }), promptTokens: least, images: 0 }
    }
  }
}

const uncounted: PromptTokens = { least: 0, most: 0 }

/** A place among the requests in work for a text whose prompt nobody has counted yet; refused where the budgets have no token left. */
export function placeOf(deps: Pick<BudgetDependencies, 'priceOf'>, submission: Submission): BudgetWish {
  return { ...wishOf(deps, submission, { running: true, prompt: uncounted }), tokens: { least: 1, most: 0 } }
}

/** The fewest and the most tokens that a text can do with. */
function spanOf(
  { choices, maxTokens, maxTokensIsDefault }: TextRequest,
  { least, most, room = Number.POSITIVE_INFINITY }: { readonly least: number; readonly most: number; readonly room?: number | undefined },
): BudgetWish['tokens'] {
  const longest = Math.min(maxTokens, room)
  if (maxTokensIsDefault !== true) return { least: least + choices * longest, most: most + choices * longest }
  return { least: least + choices, most: most + choices * Math.min(longest, mostUnnamed) }
}

/** Tokens that a template writes around each message, at most and at least. */
const perMessage = { most: 16, least: 2 } as const
/** Tokens that begin and end a text. */
const perText = 2
/** Bytes of text that vocabularies make one token of, as a rule. */
const bytesPerToken = 4

/** Tokens that a prompt is expected to have: at least as text mostly is, at most one for each byte, which no vocabulary exceeds, and what a template writes. */
export function estimatePrompt({ input }: TextRequest): PromptTokens {
  if (input.type === 'prompt' && input.tokens !== undefined) return { least: input.tokens.length, most: input.tokens.length }
  const texts = input.type === 'prompt' ? [input.prompt, ...gapTexts(input.gap)] : input.messages.map(writtenText)
  const tools = input.type === 'prompt' || input.tools.length === 0 ? '' : JSON.stringify(input.tools)
  const bytes = [...texts, tools].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { least: Math.ceil(bytes / bytesPerToken) + texts.length * perMessage.least, most: bytes + texts.length * perMessage.most }
}

/** Tokens that the inputs of an embedding have at most. */
export function estimateInputs({ inputs }: EmbeddingRequest): number {
  return inputs.reduce((sum, input) => sum + perText + (typeof input === 'string' ? Buffer.byteLength(input) : input.length), 0)
}

/** Tokens that documents have at most, each with the query before it. */
function estimatePairs({ query, documents }: RankRequest): number {
  return documents.reduce((sum, document) => sum + 2 * perText + Buffer.byteLength(query) + Buffer.byteLength(document), 0)
}

function gapTexts(gap: TextGap | undefined): readonly string[] {
  return gap === undefined ? [] : [gap.suffix, ...gap.files.flatMap(({ name, text }) => [name, text])]
}

function writtenText(message: Extract<TextRequest['input'], { readonly type: 'chat' }>['messages'][number]): string {
  return (message.content ?? '') + ('toolCalls' in message ? JSON.stringify(message.toolCalls) : '')
}
