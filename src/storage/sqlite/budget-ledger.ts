import type { Budget, BudgetAnswer, BudgetSubject, WantedBudget } from '../../core/limits/budget.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { BudgetHolder, BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { readBudgetLimits, readBudgets } from './budget.ts'
import { CommittedValues } from './committed-values.ts'
import type { Connection } from './connection.ts'
import type { Writer } from './writer/writer.ts'

type Options = { readonly signal: AbortSignal }

/** What accounts have used and reserved, in the database. */
export class SqliteBudgetLedger implements BudgetLedger {
  readonly #writer: Writer
  readonly #reader: Connection
  readonly #clock: Clock
  /** Of those who have budgets; null = has none. Each request asks twice, and hardly any account has some. */
  readonly #limits: CommittedValues<UseLimits | null>

  constructor(writer: Writer, reader: Connection, clock: Clock) {
    this.#writer = writer
    this.#reader = reader
    this.#clock = clock
    this.#limits = new CommittedValues(reader)
  }

  async reserve(wanted: WantedBudget, { signal }: Options): Promise<BudgetAnswer> {
    signal.throwIfAborted()
    return this.#writer.run('reserveBudget', wanted, this.#clock.now())
  }

  async release(id: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    await this.#writer.run('releaseBudget', { id }, this.#clock.now())
  }

  async budgets(holder: BudgetHolder, { signal }: Options): Promise<readonly Budget[]> {
    signal.throwIfAborted()
    const limitsOf = (of: BudgetSubject, id: string) => this.#limits.get(`${of} ${id}`, () => readBudgetLimits(this.#reader, of, id))
    return readBudgets(this.#reader, holder, this.#clock.now(), limitsOf)
  }
}
