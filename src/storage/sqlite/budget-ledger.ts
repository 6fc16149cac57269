import type { Budget, BudgetAnswer, WantedBudget } from '../../core/limits/budget.ts'
import type { BudgetHolder, BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { readBudgets } from './budget.ts'
import type { Connection } from './connection.ts'
import type { Writer } from './writer/writer.ts'

type Options = { readonly signal: AbortSignal }

/** What accounts have used and reserved, in the database. */
export class SqliteBudgetLedger implements BudgetLedger {
  readonly #writer: Writer
  readonly #reader: Connection
  readonly #clock: Clock

  constructor(writer: Writer, reader: Connection, clock: Clock) {
    this.#writer = writer
    this.#reader = reader
    this.#clock = clock
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
    return readBudgets(this.#reader, holder, this.#clock.now())
  }
}
