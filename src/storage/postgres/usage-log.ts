import { budgetStarts } from '../../core/limits/budget.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import type { UsageDay, UsageEntry } from '../../core/usage.ts'
import { readUsageDay } from '../rows/usage-row.ts'
import type { Database } from './database.ts'

type Options = { readonly signal: AbortSignal }

/** Entries per commit of a roll-up. Those of this minute stay, because budgets of a minute count them. */
const batch = 2000

const sums = ['failures', 'prompt_tokens', 'completion_tokens', 'images', 'cost']
const summed = `count(*), ${sums.map((name) => `sum(${name})`).join(', ')}`
const added = ['requests', ...sums].map((name) => `${name} = sum.${name} + excluded.${name}`).join(', ')

/** Sums per UTC day, account and model, and the entries since the last roll-up: nobody who books waits for anybody else who does. */
export class PostgresUsageLog implements UsageLog {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async append(entry: UsageEntry, { signal, settles }: Options & { readonly settles?: string }): Promise<void> {
    signal.throwIfAborted()
    const { accountId, tokenId, model, outcome, promptTokens, completionTokens, images, cost, at } = entry
    const sql = `with settled as (delete from reservations where id = :settles)
      insert into usage_entries (day, at, account_id, token_id, model, failures, prompt_tokens, completion_tokens, images, cost)
      values (:day, :at, :accountId, :tokenId, :model, :failures, :promptTokens, :completionTokens, :images, :cost)`
    const failures = outcome === 'failed' ? 1 : 0
    const counts = { failures, promptTokens, completionTokens, images, cost }
    await this.#database.run(sql, { settles, day: dayOf(at), at, accountId, tokenId, model, ...counts })
  }

  async rollUp({ signal }: Options): Promise<number> {
    signal.throwIfAborted()
    const detail = (name: string, hour: string) => `${name} as (
        insert into usage_details as sum (day, hour, account_id, token_id, model, requests, ${sums.join(', ')})
          select day, ${hour}, account_id, coalesce(token_id, ''), model, ${summed} from gone group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
        on conflict (day, hour, account_id, token_id, model) do update set ${added})`
    const sql = `with gone as (
        delete from usage_entries where seq = any (array(
          select seq from usage_entries where (select pg_try_advisory_xact_lock(:rollUpLock)) and at < :since
            order by seq limit :batch for update skip locked))
        returning *),
      summed as (
        insert into usage_days as sum (day, account_id, model, requests, ${sums.join(', ')})
          select day, account_id, model, ${summed} from gone group by day, account_id, model order by day, account_id, model
        on conflict (day, account_id, model) do update set ${added}),
      ${detail('days', '-1')},
      ${detail('hours', `(extract(hour from to_timestamp(at / 1000) at time zone 'UTC'))::smallint`)}
      select seq from gone`
    return (await this.#database.all(sql, { batch, rollUpLock, since: budgetStarts(this.#clock.now()).minute })).length
  }

  async summarize(
    query: { readonly accountId: string | null; readonly from: string; readonly to: string },
    { signal }: Options,
  ): Promise<readonly UsageDay[]> {
    signal.throwIfAborted()
    const chosen = `day between :from and :to ${query.accountId === null ? '' : 'and account_id = :accountId'}`
    const counts = ['requests', ...sums]
    const sql = `select day, account_id, model, ${counts.map((name) => `sum(${name})::bigint as ${name}`).join(', ')} from (
        select day, account_id, model, ${counts.join(', ')} from usage_days where ${chosen}
        union all
        select day, account_id, model, 1, ${sums.join(', ')} from usage_entries where ${chosen}) as both_kinds
      group by day, account_id, model order by day, account_id, model`
    return (await this.#database.all(sql, { ...query }, { repeatable: true })).map(readUsageDay)
  }
}

/** One node sums at a time. */
const rollUpLock = 7_335_742_003

/** The UTC day of a moment, as the books name it. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
