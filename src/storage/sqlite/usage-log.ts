import { budgetStarts } from '../../core/limits/budget.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import type { UsageDay, UsageEntry } from '../../core/usage.ts'
import { readUsageDay } from '../rows/usage-row.ts'
import type { Connection } from './connection.ts'
import type { Writer } from './writer/writer.ts'

type Options = { readonly signal: AbortSignal }

/** Keeps sums per UTC day, account and model, and the entries since the last roll-up: bounded however many requests there are. */
export class SqliteUsageLog implements UsageLog {
  readonly #writer: Writer
  readonly #reader: Connection
  readonly #clock: Clock

  constructor(writer: Writer, reader: Connection, clock: Clock) {
    this.#writer = writer
    this.#reader = reader
    this.#clock = clock
  }

  async append(entry: UsageEntry, { signal, settles }: Options & { readonly settles?: string }): Promise<void> {
    signal.throwIfAborted()
    await this.#writer.run('bookUsage', { ...entry, settles }, this.#clock.now())
  }

  async rollUp({ signal }: Options): Promise<number> {
    signal.throwIfAborted()
    return this.#writer.run('rollUpUsage', { since: budgetStarts(this.#clock.now()).minute }, this.#clock.now())
  }

  async summarize(
    query: { readonly accountId: string | null; readonly from: string; readonly to: string },
    { signal }: Options,
  ): Promise<readonly UsageDay[]> {
    signal.throwIfAborted()
    const chosen = 'day between :from and :to and (:accountId is null or account_id = :accountId)'
    const columns = ['requests', 'failures', 'prompt_tokens', 'completion_tokens', 'images', 'cost']
    const sums = columns.map((name) => `sum(${name}) as ${name}`)
    const sql = `select day, account_id, model, ${sums.join(', ')} from (
        select day, account_id, model, ${columns.join(', ')} from usage_days where ${chosen}
        union all select day, account_id, model, 1, failures, prompt_tokens, completion_tokens, images, cost from usage_entries where ${chosen})
      group by day, account_id, model order by day, account_id, model`
    return this.#reader.all(sql, { ...query }).map(readUsageDay)
  }
}
