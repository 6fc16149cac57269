import {
  type Budget,
  type BudgetGrant,
  type BudgetSubject,
  type BudgetWish,
  concerns,
  decideBudget,
  takesAnything,
} from '../../core/limits/budget.ts'
import { grantOf } from '../../core/limits/budget-exceeded.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { BudgetHolder, BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { Tables } from '../tables/statements.ts'
import { readBudgetLimits, readBudgets } from './budget.ts'
import { CommittedValues } from './committed-values.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Used and reserved budgets of accounts in SQLite. */
export class SqliteBudgetLedger extends Tables<SqliteDatabase> implements BudgetLedger {
  /** Limits of holders with budgets; null = none. Each request reads them twice, and few accounts have any. */
  readonly #limits: CommittedValues<UseLimits | null>

  constructor(database: SqliteDatabase, clock: Clock) {
    super(database, clock)
    this.#limits = new CommittedValues(database.reader)
  }

  async reserve(wish: BudgetWish): Promise<BudgetGrant> {
    const { accountId, tokenId, unit, tokens } = wish
    const limits = [this.#limitsOf('account', accountId), tokenId === null ? null : this.#limitsOf('token', tokenId)].filter(
      (each) => each !== null,
    )
    if (!limits.some((each) => concerns(each, unit))) return { isLimited: false, tokens: tokens.most }
    const now = this.clock.now()
    const answer = takesAnything(wish, limits)
      ? await this.database.writer.run('reserveBudget', wish, now)
      : decideBudget(await this.budgets(wish), wish)
    return grantOf(answer, wish, now)
  }

  async release(id: string): Promise<void> {
    await this.database.writer.run('releaseBudget', { id }, this.clock.now())
  }

  async budgets(holder: BudgetHolder): Promise<readonly Budget[]> {
    return readBudgets(this.database.reader, holder, this.clock.now(), (of, id) => this.#limitsOf(of, id))
  }

  #limitsOf(of: BudgetSubject, id: string): UseLimits | null {
    return this.#limits.get(`${of} ${id}`, () => readBudgetLimits(this.database.reader, of, id))
  }
}
