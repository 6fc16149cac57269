import type { UsageLog } from '../../core/ports/usage-log.ts'
import type { UsageDay, UsageEntry } from '../../core/usage.ts'
import { readUsageDay } from '../rows/usage-row.ts'
import type { Database } from './database.ts'

type Options = { readonly signal: AbortSignal }

/** Entries per commit of a roll-up. */
const batch = 2000

/** Sums per UTC day, account and model, and the entries since the last roll-up: nobody who books waits for anybody else who does. */
export class PostgresUsageLog implements UsageLog {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async append(entry: UsageEntry, { signal, settles }: Options & { readonly settles?: string }): Promise<void> {
    signal.throwIfAborted()
    const { accountId, model, outcome, promptTokens, completionTokens, images } = entry
    const sql = `with settled as (delete from reservations where id = :settles)
      insert into usage_entries (day, account_id, model, failures, prompt_tokens, completion_tokens, images)
      values (:day, :accountId, :model, :failures, :promptTokens, :completionTokens, :images)`
    const day = dayOf(entry.at)
    const failures = outcome === 'failed' ? 1 : 0
    await this.#database.run(sql, { settles, day, accountId, model, failures, promptTokens, completionTokens, images })
  }

  async rollUp({ signal }: Options): Promise<number> {
    signal.throwIfAborted()
    const sql = `with gone as (
        delete from usage_entries where seq = any (array(
          select seq from usage_entries where (select pg_try_advisory_xact_lock(:rollUpLock)) order by seq limit :batch for update skip locked))
        returning *),
      summed as (
        insert into usage_days as sum (day, account_id, model, requests, failures, prompt_tokens, completion_tokens, images)
          select day, account_id, model, count(*), sum(failures), sum(prompt_tokens), sum(completion_tokens), sum(images)
          from gone group by day, account_id, model order by day, account_id, model
        on conflict (day, account_id, model) do update set requests = sum.requests + excluded.requests,
          failures = sum.failures + excluded.failures, prompt_tokens = sum.prompt_tokens + excluded.prompt_tokens,
          completion_tokens = sum.completion_tokens + excluded.completion_tokens, images = sum.images + excluded.images)
      select seq from gone`
    return (await this.#database.all(sql, { batch, rollUpLock })).length
  }

  async summarize(
    query: { readonly accountId: string | null; readonly from: string; readonly to: string },
    { signal }: Options,
  ): Promise<readonly UsageDay[]> {
    signal.throwIfAborted()
    const chosen = `day between :from and :to ${query.accountId === null ? '' : 'and account_id = :accountId'}`
    const sums = ['requests', 'failures', 'prompt_tokens', 'completion_tokens', 'images'].map((name) => `sum(${name})::bigint as ${name}`)
    const sql = `select day, account_id, model, ${sums.join(', ')} from (
        select day, account_id, model, requests, failures, prompt_tokens, completion_tokens, images from usage_days where ${chosen}
        union all
        select day, account_id, model, 1, failures, prompt_tokens, completion_tokens, images from usage_entries where ${chosen}) as both_kinds
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
