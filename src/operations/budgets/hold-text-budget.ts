import type { BudgetHolder } from '../../core/ports/budget-ledger.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { TextRequest } from '../../core/text-generation.ts'
import { type BudgetDependencies, hasBudget, holdBudget } from './hold-budget.ts'
import { estimatePrompt } from './text-estimate.ts'

/**
 * Tokens per answer that are set aside of a budget where a request names no limit. The whole context would leave nothing for what the account asks beside it.
 */
const mostUnnamed = 4096

/** One text request, whose it is, and what its reservation is called. */
interface TextWork extends BudgetHolder {
  readonly reservation: string
  readonly request: TextRequest
}

/**
 * Sets aside what a text request can use at most: its prompt, as its model counts it, and every choice to its limit. A request that named no
 * limit is shortened to what is left.
 *
 * @returns The request as it may run, and its prompt's tokens where they had to be counted.
 * @throws {ServiceError} what {@link holdBudget} throws, and what counting throws.
 */
export async function holdTextBudget(
  deps: BudgetDependencies,
  { accountId, tokenId, reservation, request, model }: TextWork & { readonly model: TextModel },
  options: { readonly signal: AbortSignal },
): Promise<{ readonly request: TextRequest; readonly promptTokens: number | null }> {
  if (!(await hasBudget(deps, { accountId, tokenId, unit: 'tokens' }, options))) return { request, promptTokens: null }
  const prompt = await (model.countPrompt?.(request, { ...options, account: accountId }) ?? estimatePrompt(request).most)
  const room = Math.max(1, (model.contextLength ?? Number.POSITIVE_INFINITY) - prompt)
  const tokens = spanOf(request, prompt, Math.min(request.maxTokens, room))
  const holder = { id: reservation, accountId, tokenId, running: true, unit: 'tokens', model: request.model } as const
  const granted = await holdBudget(deps, { ...holder, tokens, promptTokens: prompt, images: 0 }, options)
  if (granted === null || (granted >= tokens.most && request.maxTokensIsDefault !== true)) return { request, promptTokens: prompt }
  const { maxTokensIsDefault: _, ...named } = request
  return { request: { ...named, maxTokens: Math.floor((granted - prompt) / request.choices) }, promptTokens: prompt }
}

/**
 * Sets aside what a text request that has to wait may use, by an estimate of its prompt; {@link holdTextBudget} corrects it when it runs.
 *
 * @returns Whether there was a budget to set it aside of.
 * @throws {ServiceError} what {@link holdBudget} throws.
 */
export async function holdWaitingText(
  deps: BudgetDependencies,
  { accountId, tokenId, reservation, request }: TextWork,
  options: { readonly signal: AbortSignal },
): Promise<boolean> {
  const prompt = estimatePrompt(request)
  const { least } = spanOf(request, prompt.least, request.maxTokens)
  const { most } = spanOf(request, prompt.most, request.maxTokens)
  const holder = { id: reservation, accountId, tokenId, running: false, unit: 'tokens', model: request.model } as const
  return (await holdBudget(deps, { ...holder, tokens: { least, most }, promptTokens: prompt.least, images: 0 }, options)) !== null
}

/** The fewest and the most tokens that a request can do with. */
function spanOf(
  { choices, maxTokensIsDefault }: TextRequest,
  prompt: number,
  longest: number,
): { readonly least: number; readonly most: number } {
  const most = prompt + choices * (maxTokensIsDefault === true ? Math.min(longest, mostUnnamed) : longest)
  return { least: maxTokensIsDefault === true ? prompt + choices : most, most }
}
