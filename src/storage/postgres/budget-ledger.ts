import { keepNewest } from '../../core/keep-newest.ts'
import {
  type Budget,
  type BudgetAnswer,
  type BudgetGrant,
  type BudgetSubject,
  type BudgetWish,
  budgetStarts,
  concerns,
  decideBudget,
  hasBudgets,
  hasMonthlyBudget,
  listBudgets,
  takesAnything,
} from '../../core/limits/budget.ts'
import { grantOf } from '../../core/limits/budget-exceeded.ts'
import type { UseLimits } from '../../core/limits/use-limits.ts'
import type { BudgetHolder, BudgetLedger } from '../../core/ports/budget-ledger.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { limitColumns, readLimits } from '../rows/limit-columns.ts'
import { type Row, readInteger, readText } from '../rows/row.ts'
import { readBudgetSums } from '../rows/usage-row.ts'
import { repeatable, type Statements } from '../tables/statements.ts'
import type { Database } from './database.ts'
import { Grouping } from './grouping.ts'
import type { PostgresUsageLog } from './usage-log.ts'

/** Lifetime of the cached absence of budgets, regardless of changes by other nodes. */
const freshMs = 1000
const maxCached = 10_000

/** Used and reserved budgets of accounts across all nodes. */
export class PostgresBudgetLedger implements BudgetLedger {
  readonly #database: Database
  readonly #clock: Clock
  readonly #holder: string
  readonly #usage: PostgresUsageLog
  readonly #reading: Grouping<BudgetHolder, readonly Limited[]>
  /** Holders without a budget, with the monotonic time at which the cached value expires. A request checks this several times. */
  readonly #unlimited = new Map<string, number>()
  #forgottenAt = Number.NEGATIVE_INFINITY

  /**
   * @param options.holder The reserving process; its reservations for work of its own end with it.
   * @param options.usage Where this process records usage.
   */
  constructor(
    database: Database,
    { clock, holder, usage }: { readonly clock: Clock; readonly holder: string; readonly usage: PostgresUsageLog },
  ) {
    this.#database = database
    this.#clock = clock
    this.#holder = holder
    this.#usage = usage
    this.#reading = new Grouping((holders, deadline) => readLimited(database.until(deadline), holders), { lanes: 2, most: 256 })
  }

  async reserve(wish: BudgetWish): Promise<BudgetGrant> {
    const known = await this.#limitsOf(wish)
    if (!known.some(({ limits }) => concerns(limits, wish.unit))) return { isLimited: false, tokens: wish.tokens.most }
    const isTaking = takesAnything(
      wish,
      known.map(({ limits }) => limits),
    )
    // Usage is recorded after the answer, so a client can send its next request before the write has released the reservation.
    await this.#usage.released(wish.accountId)
    const decide = async (statements: Statements, limited: readonly Limited[]): Promise<BudgetAnswer> =>
      decideBudget(await readBudgets(statements, limited, { except: wish.id, now: this.#clock.now() }), wish)
    const take = async (statements: Statements): Promise<BudgetAnswer> => {
      // Serializes the reservations of an account, so that each sees the earlier ones.
      const [limited = []] = await readLimited(statements, [wish], 'for no key update of account')
      const answer = await decide(statements, limited)
      if (answer.granted) await insertReservation(statements, wish, { ...answer, holder: this.#holder })
      return answer
    }
    const answer = await (isTaking ? this.#database.transaction(take, repeatable) : decide(this.#database, known))
    return grantOf(answer, wish, this.#clock.now())
  }

  async release(id: string): Promise<void> {
    await this.#database.run('delete from reservations where id = :id', { id }, repeatable)
  }

  async budgets(holder: BudgetHolder): Promise<readonly Budget[]> {
    return readBudgets(this.#database, await this.#limitsOf(holder), { except: null, now: this.#clock.now() })
  }

  /** Clears the cache after limits were changed here. */
  forget(): void {
    this.#forgottenAt = performance.now()
    this.#unlimited.clear()
  }

  async #limitsOf(holder: BudgetHolder): Promise<readonly Limited[]> {
    const key = `${holder.accountId} ${holder.tokenId}`
    const until = this.#unlimited.get(key)
    const requestedAt = performance.now()
    if (until !== undefined && requestedAt < until) return []
    this.#unlimited.delete(key)
    const limited = await this.#reading.add(holder)
    if (limited.length > 0) return limited
    // Changed meanwhile, so do not cache it.
    if (this.#forgottenAt < requestedAt) keepNewest(this.#unlimited, key, requestedAt + freshMs, maxCached)
    return []
  }
}

async function insertReservation(
  statements: Statements,
  { id, accountId, tokenId, images, running }: BudgetWish,
  { tokens, cost, holder }: { readonly tokens: number; readonly cost: number; readonly holder: string },
): Promise<void> {
  await statements.run(
    `insert into reservations as held (id, account_id, token_id, tokens, images, cost, running, holder)
       values (:id, :accountId, :tokenId, :tokens, :images, :cost, :running, :holder)
     on conflict (id) do update set tokens = excluded.tokens, images = excluded.images, cost = excluded.cost, running = excluded.running,
       holder = excluded.holder`,
    { id, accountId, tokenId, tokens, images, cost, running, holder },
  )
}

/** An account or token with limits that need a budget. */
interface Limited {
  readonly of: BudgetSubject
  readonly id: string
  readonly limits: UseLimits
}

const columnsOf = (of: BudgetSubject) => limitColumns.map(([, column]) => `${of}.${column} as ${of}_${column}`).join(', ')

/** Reads the limits of several holders in one statement. */
async function readLimited(
  statements: Statements,
  holders: readonly BudgetHolder[],
  lock: '' | 'for no key update of account' = '',
): Promise<readonly (readonly Limited[])[]> {
  const distinct = new Map(holders.map((holder) => [nameOf(holder), holder]))
  const wanted = [...distinct.values()]
  const rows = await statements.all(
    `select wanted.n, ${columnsOf('account')}, ${columnsOf('token')}
     from unnest(:accounts::text[], :tokens::text[]) with ordinality as wanted (account_id, token_id, n) join accounts as account on account.id = wanted.account_id
       left join access_tokens as token on token.id = wanted.token_id ${lock}`,
    { accounts: wanted.map(({ accountId }) => accountId), tokens: wanted.map(({ tokenId }) => tokenId) },
    repeatable,
  )
  const found = new Map(rows.map((row) => [readInteger(row, 'n') - 1, row]))
  const limited = new Map([...distinct].map(([name, holder], index) => [name, limitedOf(holder, found.get(index))]))
  return holders.map((holder) => limited.get(nameOf(holder)) ?? [])
}

function nameOf({ accountId, tokenId }: BudgetHolder): string {
  return JSON.stringify([accountId, tokenId])
}

function limitedOf({ accountId, tokenId }: BudgetHolder, row: Row | undefined): readonly Limited[] {
  if (row === undefined) return []
  const account = { of: 'account', id: accountId, limits: readLimits(row, 'account_') } as const
  const token = tokenId === null ? [] : [{ of: 'token', id: tokenId, limits: readLimits(row, 'token_') } as const]
  return [account, ...token].filter(({ limits }) => hasBudgets(limits))
}

/** Used and reserved amounts are read in one statement, so that nothing is missed that moves from one to the other meanwhile. */
async function readBudgets(
  statements: Statements,
  limited: readonly Limited[],
  { except, now }: { readonly except: string | null; readonly now: number },
): Promise<readonly Budget[]> {
  if (limited.length === 0) return []
  const { minute, day, month } = budgetStarts(now)
  const parameters = Object.fromEntries(limited.map(({ of, id }) => [of, id]))
  const monthly = limited.some(({ limits }) => hasMonthlyBudget(limits))
  const sql = limited.map(({ of }) => sumsOf(of)).join(' union all ')
  const rows = await statements.all(sql, { ...parameters, except, minute, day, from: monthly ? month : day }, repeatable)
  return limited.flatMap(({ of, limits }) => {
    const row = rows.find((each) => readText(each, 'of') === of)
    return row === undefined ? [] : listBudgets(of, limits, readBudgetSums(row))
  })
}

function sumsOf(of: BudgetSubject): string {
  const booked = of === 'account' ? 'usage_days where account_id = :account and' : 'usage_details where token_id = :token and hour = -1 and'
  const sum = (what: string, condition = '') => `coalesce(sum(${what}) ${condition && `filter (where ${condition})`}, 0)::bigint`
  return `select '${of}' as of, used.*, held.* from (
      select ${sum('tokens', 'at >= :minute')} as minute_tokens, ${sum('images', 'at >= :minute')} as minute_images,
        ${sum('tokens', 'day >= :day')} as day_tokens, ${sum('images', 'day >= :day')} as day_images, ${sum('cost', 'day >= :day')} as day_money,
        ${sum('tokens')} as month_tokens, ${sum('images')} as month_images, ${sum('cost')} as month_money
      from (
        select day, 0::bigint as at, prompt_tokens + completion_tokens as tokens, images, cost from ${booked} day >= :from
        union all
        select day, at, prompt_tokens + completion_tokens, images, cost from usage_entries where ${of}_id = :${of} and day >= :from) as entry) as used,
    (select ${sum('tokens')} as reserved_tokens, ${sum('images')} as reserved_images, ${sum('cost')} as reserved_money,
        count(*) filter (where running) as running_requests, ${sum('tokens', 'running')} as running_tokens, ${sum('images', 'running')} as running_images
      from reservations where ${of}_id = :${of} and id is distinct from :except) as held`
}
