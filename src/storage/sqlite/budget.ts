import {
  type Budget,
  type BudgetAnswer,
  type BudgetSums,
  budgetDays,
  decideBudget,
  listBudgets,
  type WantedBudget,
} from '../../core/budget.ts'
import { readBudgetLimits } from '../rows/account-row.ts'
import { type Row, readInteger } from '../rows/row.ts'
import type { Connection } from './connection.ts'

/** Reserves from every budget of the account, or from none. */
export function reserveBudget(connection: Connection, wanted: WantedBudget, now: number): BudgetAnswer {
  releaseBudget(connection, { id: wanted.id })
  const answer = decideBudget(readBudgets(connection, wanted.accountId, now), wanted)
  if (answer.granted)
    connection.run('insert into reservations (id, account_id, tokens, images) values (:id, :accountId, :tokens, :images)', {
      id: wanted.id,
      accountId: wanted.accountId,
      tokens: answer.tokens,
      images: wanted.images,
    })
  return answer
}

/** Gives a reservation back. */
export function releaseBudget(connection: Connection, { id }: { readonly id: string }): void {
  connection.run('delete from reservations where id = :id', { id })
}

/** What an earlier process had set aside for work that ended with it. */
export function forgetReservations(connection: Connection, _input: object): number {
  return connection.run("delete from reservations where id not in (select id from inferences where status <> 'completed')")
}

/** What of the limits of an account is taken. */
export function readBudgets(connection: Connection, accountId: string, now: number): readonly Budget[] {
  const account = connection.get(
    `select tokens_per_day, images_per_day, tokens_per_month, images_per_month from accounts
       where id = :accountId and coalesce(tokens_per_day, images_per_day, tokens_per_month, images_per_month) is not null`,
    { accountId },
  )
  if (account === undefined) return []
  const limits = readBudgetLimits(account)
  const { day, month } = budgetDays(now)
  const today = readUsed(connection, accountId, day)
  // A month is up to 31 times as many rows, so that only those are summed up whose limits need it.
  const monthly = limits.tokensPerMonth !== null || limits.imagesPerMonth !== null
  const used = { day: today, month: monthly ? readUsed(connection, accountId, month) : today }
  const reserved = connection.get('select tokens, images from reserved_sums where account_id = :accountId', { accountId })
  return listBudgets(limits, used, readSums(reserved))
}

function readUsed(connection: Connection, accountId: string, from: string): BudgetSums {
  return readSums(
    connection.get(
      `select coalesce(sum(prompt_tokens + completion_tokens), 0) as tokens, coalesce(sum(images), 0) as images from (
         select prompt_tokens, completion_tokens, images from usage_days where day >= :from and account_id = :accountId
         union all select prompt_tokens, completion_tokens, images from usage_entries where day >= :from and account_id = :accountId)`,
      { from, accountId },
    ),
  )
}

function readSums(row: Row | undefined): BudgetSums {
  return row === undefined ? { tokens: 0, images: 0 } : { tokens: readInteger(row, 'tokens'), images: readInteger(row, 'images') }
}
