import type { Submission } from '../../core/inference.ts'
import type { BudgetWish } from '../../core/limits/budget.ts'
import type { ModelPrice } from '../../core/limits/model-price.ts'
import type { Store } from '../../core/ports/store.ts'
import { promptTexts, tokensPerPicture, typicalTokens } from '../../core/text/prompt-texts.ts'
import type { EmbeddingRequest, RankRequest, TextRequest } from '../../core/text-generation.ts'

/** Dependencies of reserving. */
export interface BudgetDependencies extends Pick<Store, 'ledger' | 'clock'> {
  /** Current price of a model; null = free. */
  readonly priceOf: (model: string) => ModelPrice | null
}

/** Bounds of a prompt's length in tokens, for models that only count later. */
export interface PromptTokens {
  readonly least: number
  readonly most: number
  /** Tokens left in the context for the answer; absent = unknown. */
  readonly room?: number | undefined
}

/** Tokens reserved per answer if a request has no limit. The whole context would leave nothing for the account's other requests. */
const maxUnnamed = 4096

/**
 * The maximum use of work, to be reserved in advance: its images, the longest possible inputs, or a text's prompt and every choice at its
 * limit.
 *
 * @param options.running Whether it runs from now on, rather than waits.
 * @param options.prompt The prompt as counted by the model; absent = estimated.
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

/** Reserves concurrency only, for a text whose prompt is not counted yet; refused if the budgets have no token left. */
export function placeOf(deps: Pick<BudgetDependencies, 'priceOf'>, submission: Submission): BudgetWish {
  return { ...wishOf(deps, submission, { running: true, prompt: uncounted }), tokens: { least: 1, most: 0 } }
}

/** Minimum and maximum tokens of a text request. */
function spanOf(
  { choices, maxTokens, maxTokensIsDefault }: TextRequest,
  { least, most, room = Number.POSITIVE_INFINITY }: { readonly least: number; readonly most: number; readonly room?: number | undefined },
): BudgetWish['tokens'] {
  const longest = Math.min(maxTokens, room)
  if (maxTokensIsDefault !== true) return { least: least + choices * longest, most: most + choices * longest }
  return { least: least + choices, most: most + choices * Math.min(longest, maxUnnamed) }
}

/** Tokens a template adds around each message, at most and at least. */
const perMessage = { most: 16, least: 2 } as const
/** Tokens that begin and end a text. */
const perText = 2

/**
 * Estimates the tokens of a prompt. Minimum: the typical ratio, without pictures; maximum: one per byte, which no vocabulary exceeds, plus those of the
 * template and of pictures.
 */
export function estimatePrompt({ input }: TextRequest): PromptTokens {
  if (input.type === 'prompt' && input.tokens !== undefined) return { least: input.tokens.length, most: input.tokens.length }
  const { texts, tools, pictures } = promptTexts(input)
  const bytes = [...texts, tools].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return {
    least: typicalTokens(bytes) + texts.length * perMessage.least,
    most: bytes + texts.length * perMessage.most + pictures * tokensPerPicture,
  }
}

/** Maximum tokens of an embedding's inputs. */
export function estimateInputs({ inputs }: EmbeddingRequest): number {
  return inputs.reduce((sum, input) => sum + perText + (typeof input === 'string' ? Buffer.byteLength(input) : input.length), 0)
}

/** Maximum tokens of documents, each preceded by the query. */
function estimatePairs({ query, documents }: RankRequest): number {
  return documents.reduce((sum, document) => sum + 2 * perText + Buffer.byteLength(query) + Buffer.byteLength(document), 0)
}
