import { firstIdAt } from '../../core/deferred/inference-id.ts'
import {
  type Budget,
  type BudgetAnswer,
  type BudgetSubject,
  type BudgetSums,
  type BudgetWish,
  budgetStarts,
  decideBudget,
  hasBudgets,
  hasMonthlyBudget,
  listBudgets,
} from '../../core/limits/budget.ts'
import { type UseLimits, useLimitNames } from '../../core/limits/use-limits.ts'
import { abandonedMs, type BudgetHolder } from '../../core/ports/budget-ledger.ts'
import { readLimits } from '../rows/limit-columns.ts'
import { columnsOf, type Row } from '../rows/row.ts'
import { readBudgetSums } from '../rows/usage-row.ts'
import type { Connection } from './connection.ts'

/** Reserves from every budget of the account and the token, or from none. */
export function reserveBudget(connection: Connection, wish: BudgetWish, now: number): BudgetAnswer {
  const { id, accountId, tokenId, images, running } = wish
  const before = connection.get('select * from reservations where id = :id', { id })
  releaseBudget(connection, { id })
  const answer = decideBudget(readBudgets(connection, wish, now), wish)
  if (answer.granted)
    insertReservation(connection, {
      id,
      account_id: accountId,
      tokens: answer.tokens,
      images,
      token_id: tokenId,
      cost: answer.cost,
      running: running ? 1 : 0,
    })
  else if (before !== undefined) insertReservation(connection, before)
  return answer
}

function insertReservation(connection: Connection, row: Row): void {
  connection.run(
    `insert into reservations (id, account_id, tokens, images, token_id, cost, running)
     values (:id, :account_id, :tokens, :images, :token_id, :cost, :running)`,
    row as Parameters<Connection['run']>[1],
  )
}

/** Releases a reservation. */
export function releaseBudget(connection: Connection, { id }: { readonly id: string }): void {
  connection.run('delete from reservations where id = :id', { id })
}

/** Releases the reservations of an earlier process for work that ended with it. */
export function forgetReservations(connection: Connection, _input: object): number {
  return connection.run("delete from reservations where id not in (select id from inferences where status <> 'completed')")
}

/** Releases the reservations of submissions that failed together with their release. */
export function forgetAbandoned(connection: Connection, now: number): void {
  connection.run(
    `delete from reservations where running = 0 and id < :before
       and not exists (select 1 from inferences where inferences.id = reservations.id and status <> 'completed')`,
    { before: firstIdAt(now - abandonedMs) },
  )
}

/**
 * The budgets of an account and a token.
 *
 * @param limitsOf Reads the limits of one of them, possibly from a cache; null = no budgets.
 */
export function readBudgets(
  connection: Connection,
  { accountId, tokenId }: BudgetHolder,
  now: number,
  limitsOf: (of: BudgetSubject, id: string) => UseLimits | null = (of, id) => readBudgetLimits(connection, of, id),
): readonly Budget[] {
  const subjects = [['account', accountId] as const, ['token', tokenId] as const]
  return subjects.flatMap(([of, id]) => {
    const limits = id === null ? null : limitsOf(of, id)
    if (limits === null || id === null) return []
    return listBudgets(of, limits, readSums(connection, { of, id, monthly: hasMonthlyBudget(limits) }, now))
  })
}

const { names: limitColumns } = columnsOf(useLimitNames)
const limitsIn = {
  account: `select ${limitColumns} from accounts where id = :id`,
  token: `select ${limitColumns} from access_tokens where id = :id`,
} as const satisfies Record<BudgetSubject, string>

/** The limits of an account or token; null = none exist, or none needs a budget. */
export function readBudgetLimits(connection: Connection, of: BudgetSubject, id: string): UseLimits | null {
  const row = connection.get(limitsIn[of], { id })
  const limits = row && readLimits(row)
  return limits !== undefined && hasBudgets(limits) ? limits : null
}

function readSums(
  connection: Connection,
  { of, id, monthly }: { readonly of: BudgetSubject; readonly id: string; readonly monthly: boolean },
  now: number,
): BudgetSums {
  const { minute, day, month } = budgetStarts(now)
  // A month has up to 31 times as many rows, so it is summed only if a limit needs it.
  const from = monthly ? month : day
  const booked = of === 'account' ? 'usage_days where account_id = :id and' : 'usage_details where token_id = :id and hour = -1 and'
  const sums = connection.get(
    `select coalesce(sum(tokens) filter (where at >= :minute), 0) as minute_tokens, coalesce(sum(images) filter (where at >= :minute), 0) as minute_images,
       coalesce(sum(tokens) filter (where day >= :day), 0) as day_tokens, coalesce(sum(images) filter (where day >= :day), 0) as day_images,
       coalesce(sum(cost) filter (where day >= :day), 0) as day_money,
       coalesce(sum(tokens), 0) as month_tokens, coalesce(sum(images), 0) as month_images, coalesce(sum(cost), 0) as month_money
     from (
       select day, 0 as at, prompt_tokens + completion_tokens as tokens, images, cost from ${booked} day >= :from
       union all
       select day, minute, tokens, images, cost from usage_open_sums where subject = :id and day >= :from)`,
    { id, minute, day, from },
  )
  const reserved = connection.get(
    `select tokens as reserved_tokens, images as reserved_images, cost as reserved_money, running as running_requests,
       running_tokens, running_images from reserved_sums where subject = :id`,
    { id },
  )
  return readBudgetSums({ ...sums, ...reserved })
}
