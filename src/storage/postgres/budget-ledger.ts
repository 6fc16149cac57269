import {
  type Budget,
  type BudgetAnswer,
  type BudgetSums,
  budgetDays,
  decideBudget,
  listBudgets,
  type WantedBudget,
} from '../../core/budget.ts'
import type { BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { readBudgetLimits } from '../rows/account-row.ts'
import { type Row, readInteger } from '../rows/row.ts'
import type { Database, Statements } from './database.ts'

type Options = { readonly signal: AbortSignal }

/** What accounts have used and reserved, over all nodes. */
export class PostgresBudgetLedger implements BudgetLedger {
  readonly #database: Database
  readonly #clock: Clock
  readonly #holder: string

  /** @param holder The process that reserves; what it has reserved for work of its own goes when it is gone. */
  constructor(database: Database, { clock, holder }: { readonly clock: Clock; readonly holder: string }) {
    this.#database = database
    this.#clock = clock
    this.#holder = holder
  }

  async reserve(wanted: WantedBudget, { signal }: Options): Promise<BudgetAnswer> {
    signal.throwIfAborted()
    const { id, accountId, images } = wanted
    const reserve = async (statements: Statements): Promise<BudgetAnswer> => {
      // Reservations of one account follow one another, so that each sees what the others took.
      await statements.run('select 1 from accounts where id = :accountId for no key update', { accountId })
      await statements.run('delete from reservations where id = :id', { id })
      const answer = decideBudget(await readBudgets(statements, accountId, this.#clock.now()), wanted)
      if (answer.granted)
        await statements.run(
          'insert into reservations (id, account_id, tokens, images, holder) values (:id, :accountId, :tokens, :images, :holder)',
          { id, accountId, tokens: answer.tokens, images, holder: this.#holder },
        )
      return answer
    }
    return this.#database.transaction(reserve, { repeatable: true })
  }

  async release(id: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    await this.#database.run('delete from reservations where id = :id', { id }, { repeatable: true })
  }

  async budgets(accountId: string, { signal }: Options): Promise<readonly Budget[]> {
    signal.throwIfAborted()
    return readBudgets(this.#database, accountId, this.#clock.now())
  }
}

async function readBudgets(statements: Statements, accountId: string, now: number): Promise<readonly Budget[]> {
  const row = await statements.get(
    `select account.tokens_per_day, account.images_per_day, account.tokens_per_month, account.images_per_month, used.*, reserved.*
     from accounts as account,
       lateral (select
           coalesce(sum(tokens) filter (where day >= :day), 0)::bigint as day_tokens,
           coalesce(sum(images) filter (where day >= :day), 0)::bigint as day_images,
           coalesce(sum(tokens), 0)::bigint as month_tokens, coalesce(sum(images), 0)::bigint as month_images from (
         select day, prompt_tokens + completion_tokens as tokens, images from usage_days
           where day >= case when coalesce(account.tokens_per_month, account.images_per_month) is null then :day else :month end
             and account_id = account.id
         union all
         select day, prompt_tokens + completion_tokens, images from usage_entries
           where day >= case when coalesce(account.tokens_per_month, account.images_per_month) is null then :day else :month end
             and account_id = account.id) as entry) as used,
       lateral (select coalesce(sum(tokens), 0)::bigint as reserved_tokens, coalesce(sum(images), 0)::bigint as reserved_images
         from reservations where account_id = account.id) as reserved
     where account.id = :accountId
       and coalesce(account.tokens_per_day, account.images_per_day, account.tokens_per_month, account.images_per_month) is not null`,
    { accountId, ...budgetDays(now) },
  )
  if (row === undefined) return []
  return listBudgets(readBudgetLimits(row), { day: readSums(row, 'day'), month: readSums(row, 'month') }, readSums(row, 'reserved'))
}

function readSums(row: Row, kind: 'day' | 'month' | 'reserved'): BudgetSums {
  return { tokens: readInteger(row, `${kind}_tokens`), images: readInteger(row, `${kind}_images`) }
}
