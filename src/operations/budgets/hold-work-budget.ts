import type { InferenceWork } from '../../core/inference.ts'
import { leftOf } from '../../core/limits/budget.ts'
import type { BudgetHolder } from '../../core/ports/budget-ledger.ts'
import { budgetExceeded } from './budget-exceeded.ts'
import { type BudgetDependencies, concerns, holdBudget } from './hold-budget.ts'
import { estimateInputs } from './text-estimate.ts'

type Options = { readonly signal: AbortSignal }

/** Pictures or embeddings, whose they are, and what their reservation is called. */
interface CountedWork extends BudgetHolder {
  readonly reservation: string
  readonly work: Exclude<InferenceWork, { readonly kind: 'chat' }>
  /** Whether it runs from now on, rather than waits. */
  readonly running: boolean
}

/** Texts to be read by a model: at most so many tokens. */
interface Reading extends Omit<CountedWork, 'work'> {
  readonly model: string
  readonly tokens: number
}

/**
 * Sets aside what work can use whose amount is known before it runs: its pictures, or the most tokens that its inputs can have.
 *
 * @returns Whether there was a budget to set it aside of.
 * @throws {ServiceError} what {@link holdBudget} throws.
 */
export async function holdWorkBudget(
  deps: BudgetDependencies,
  { accountId, tokenId, reservation, work, running }: CountedWork,
  options: Options,
): Promise<boolean> {
  if (work.kind === 'image') {
    const { model, seeds } = work.request
    const images = seeds.length
    const holder = { id: reservation, accountId, tokenId, running, model }
    const wanted = { ...holder, unit: 'images', tokens: { least: 0, most: 0 }, promptTokens: 0, images } as const
    return (await holdBudget(deps, wanted, options)) !== null
  }
  const { model } = work.request
  return holdReading(deps, { accountId, tokenId, reservation, model, tokens: estimateInputs(work.request), running }, options)
}

/**
 * Sets aside tokens that are read and not gone on with.
 *
 * @returns Whether there was a budget to set them aside of.
 * @throws {ServiceError} what {@link holdBudget} throws.
 */
export async function holdReading(
  deps: BudgetDependencies,
  { accountId, tokenId, reservation, model, tokens, running }: Reading,
  options: Options,
): Promise<boolean> {
  const wanted = { tokens: { least: tokens, most: tokens }, promptTokens: tokens, images: 0 }
  return (await holdBudget(deps, { id: reservation, accountId, tokenId, running, model, unit: 'tokens', ...wanted }, options)) !== null
}

/** A request about to run. */
export interface RunningWork<Request> {
  readonly accountId: string
  readonly request: Request
  /** What was set aside for it while it waited; absent = its caller waits for it, and has set it aside. */
  readonly reservation?: { readonly id: string; readonly tokenId: string | null } | undefined
}

/**
 * Counts deferred work as running, at the price of now; it has its slot by then, so that the worker knows how much room is left.
 *
 * @throws {ServiceError} what {@link holdBudget} throws.
 */
export async function holdRunning(
  deps: BudgetDependencies,
  { accountId, reservation, work }: Pick<CountedWork, 'accountId' | 'work'> & { readonly reservation: RunningWork<never>['reservation'] },
  options: Options,
): Promise<void> {
  if (reservation === undefined) return
  const { id, tokenId } = reservation
  await holdWorkBudget(deps, { accountId, tokenId, reservation: id, work, running: true }, options)
}

/**
 * Counts a text request among those in work from its arrival on, before anybody knows how long its prompt is.
 *
 * @returns Whether there is a budget that its tokens will have to be set aside of.
 * @throws {ServiceError} `concurrency_limit_exceeded`, and `rate_limit_exceeded` when the minute has nothing left.
 */
export async function holdPlace(
  deps: BudgetDependencies,
  { accountId, tokenId, reservation, model }: BudgetHolder & { readonly reservation: string; readonly model: string },
  options: Options,
): Promise<boolean> {
  const budgets = await deps.ledger.budgets({ accountId, tokenId }, options)
  const spent = budgets.find((budget) => budget.unit === 'tokens' && budget.per === 'minute' && leftOf(budget) === 0)
  if (spent !== undefined) throw budgetExceeded(spent, deps.clock.now(), 1)
  const isLimited = budgets.some((budget) => concerns(budget, 'tokens'))
  if (!budgets.some(({ unit }) => unit === 'requests')) return isLimited
  const nothing = { tokens: { least: 0, most: 0 }, promptTokens: 0, images: 0 }
  await holdBudget(deps, { id: reservation, accountId, tokenId, running: true, unit: 'tokens', model, ...nothing }, options)
  return isLimited
}
