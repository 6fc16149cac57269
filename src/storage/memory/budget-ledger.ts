import {
  type Budget,
  type BudgetAnswer,
  type BudgetSubject,
  type BudgetSums,
  decideBudget,
  hasBudgets,
  listBudgets,
  type WantedBudget,
} from '../../core/limits/budget.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { BudgetHolder, BudgetLedger } from '../../core/ports/budget-ledger.ts'

type Options = { readonly signal: AbortSignal }

interface BudgetFacts {
  readonly limitsOf: (of: BudgetSubject, id: string) => UseLimits
  readonly used: (of: BudgetSubject, id: string) => BudgetSums['used']
}

interface Held extends BudgetHolder {
  readonly running: boolean
  readonly tokens: number
  readonly images: number
  readonly money: number
}

/** What accounts have used and reserved, gone when the process is. */
export class MemoryBudgetLedger implements BudgetLedger {
  readonly #facts: BudgetFacts
  readonly #held = new Map<string, Held>()

  constructor(facts: BudgetFacts) {
    this.#facts = facts
  }

  async reserve(wanted: WantedBudget, { signal }: Options): Promise<BudgetAnswer> {
    signal.throwIfAborted()
    const { id, accountId, tokenId, images, running } = wanted
    const answer = decideBudget(this.#list(wanted, id), wanted)
    if (answer.granted) this.#held.set(id, { accountId, tokenId, running, tokens: answer.tokens, images, money: answer.cost })
    return answer
  }

  async release(id: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.end(id)
  }

  async budgets(holder: BudgetHolder, { signal }: Options): Promise<readonly Budget[]> {
    signal.throwIfAborted()
    return this.#list(holder, null)
  }

  /** Ends a reservation in the same turn as whatever settles it. */
  end(id: string): void {
    this.#held.delete(id)
  }

  /** Counts what goes back to the queue as waiting again. */
  wait(id: string): void {
    const held = this.#held.get(id)
    if (held !== undefined) this.#held.set(id, { ...held, running: false })
  }

  #list({ accountId, tokenId }: BudgetHolder, except: string | null): readonly Budget[] {
    const others = [...this.#held].flatMap(([id, held]) => (id === except ? [] : [held]))
    const list = (of: BudgetSubject, id: string, own: readonly Held[]) => {
      const limits = this.#facts.limitsOf(of, id)
      return hasBudgets(limits) ? listBudgets(of, limits, { used: this.#facts.used(of, id), reserved: reservedBy(own) }) : []
    }
    return [
      ...list(
        'account',
        accountId,
        others.filter((held) => held.accountId === accountId),
      ),
      ...(tokenId === null
        ? []
        : list(
            'token',
            tokenId,
            others.filter((held) => held.tokenId === tokenId),
          )),
    ]
  }
}

function reservedBy(held: readonly Held[]): BudgetSums['reserved'] {
  const running = held.filter((each) => each.running)
  const sum = (of: readonly Held[], unit: 'tokens' | 'images' | 'money') => of.reduce((total, each) => total + each[unit], 0)
  return {
    tokens: sum(held, 'tokens'),
    images: sum(held, 'images'),
    money: sum(held, 'money'),
    running: { requests: running.length, tokens: sum(running, 'tokens'), images: sum(running, 'images') },
  }
}
