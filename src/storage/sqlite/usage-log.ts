import type { Clock } from '../../core/ports/clock.ts'
import type { UsageLog } from '../../core/ports/usage-log.ts'
import type { UsageDay, UsageEntry } from '../../core/usage.ts'
import type { Connection, Row } from './connection.ts'
import { readInteger, readText } from './row.ts'
import type { Writer } from './writer/writer.ts'

type Options = { readonly signal: AbortSignal }

/** Keeps sums per UTC day, account and model: bounded however many requests there are. */
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
    const sql = `insert into usage_days (day, account_id, model, requests, failures, prompt_tokens, completion_tokens, images)
      values (:day, :accountId, :model, 1, :failures, :promptTokens, :completionTokens, :images)
      on conflict do update set requests = requests + 1, failures = failures + excluded.failures,
        prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens,
        images = images + excluded.images`
    const { accountId, model, promptTokens, completionTokens, images } = entry
    const day = new Date(entry.at).toISOString().slice(0, 10)
    const parameters = { day, accountId, model, failures: entry.outcome === 'failed' ? 1 : 0, promptTokens, completionTokens, images }
    const settled = settles === undefined ? [] : [{ sql: 'delete from reservations where id = :settles', parameters: { settles } }]
    await this.#writer.run('execute', [{ sql, parameters }, ...settled], this.#clock.now())
  }

  async summarize(
    query: { readonly accountId: string | null; readonly from: string; readonly to: string },
    { signal }: Options,
  ): Promise<readonly UsageDay[]> {
    signal.throwIfAborted()
    const sql = `select * from usage_days where day between :from and :to and (:accountId is null or account_id = :accountId)
      order by day, account_id, model`
    return this.#reader.all(sql, { ...query }).map(readDay)
  }
}

function readDay(row: Row): UsageDay {
  return {
    day: readText(row, 'day'),
    accountId: readText(row, 'account_id'),
    model: readText(row, 'model'),
    requests: readInteger(row, 'requests'),
    failures: readInteger(row, 'failures'),
    promptTokens: readInteger(row, 'prompt_tokens'),
    completionTokens: readInteger(row, 'completion_tokens'),
    images: readInteger(row, 'images'),
  }
}
