import { webhookWaitsMs } from '../../core/deferred/webhook-waits.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Database } from './database.ts'
import { takenMs } from './webhook-log.ts'

const everyMs = 30_000
/** What is more than this is no drift, and no question that took long. */
const jumpMs = 3000

/**
 * The time of the database, which is the same for every node whatever their own clocks say. Between two questions it goes on by the
 * machine's monotonic clock, which nobody sets.
 */
export class DatabaseClock implements Clock, Disposable {
  readonly #database: Database
  readonly #machine: Clock
  readonly #timer: NodeJS.Timeout
  #offset: number

  /** @param machine Waits; its time is not asked for. */
  static async open(database: Database, machine: Clock): Promise<DatabaseClock> {
    return new DatabaseClock(database, machine, await readOffset(database))
  }

  private constructor(database: Database, machine: Clock, offset: number) {
    this.#database = database
    this.#machine = machine
    this.#offset = offset
    this.#timer = setInterval(() => void this.correct(), everyMs)
    this.#timer.unref()
  }

  now(): number {
    return Math.floor(performance.now() + this.#offset)
  }

  wait(ms: number, options: { readonly signal: AbortSignal }): Promise<void> {
    return this.#machine.wait(ms, options)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** Asks for the time now, as it does by itself each half minute. */
  async correct(): Promise<void> {
    // While the database is away the machine's clock goes on alone.
    const offset = await readOffset(this.#database).catch(() => this.#offset)
    // Other nodes see it half a minute later at most, and renew their leases by the time before until then.
    const aheadMs = offset - this.#offset
    if (Math.abs(aheadMs) > jumpMs) this.#database.unsettle(everyMs)
    // In vain, it is as late as before, and looked at once more.
    if (-aheadMs > jumpMs && !(await this.#bringForward(Math.floor(performance.now() + offset)))) return
    this.#offset = offset
  }

  /** What was to wait, or to be held, until a moment that is further away now is due soon, unless the database is down; the holder of a lease renews it meanwhile. */
  async #bringForward(now: number): Promise<boolean> {
    const repeatable = { repeatable: true }
    const wait = 'update queue set not_before = 0 where not running and not_before > :now'
    const lease = 'update queue set lease_until = :until where running and lease_until > :until'
    // A dead node must not have a report from the future; a live one reports again.
    const silences = [
      'update nodes set seen_at = :now where seen_at > :now',
      'update holders set seen_at = clock_timestamp() where seen_at > clock_timestamp()',
    ]
    // The same however many nodes do it: a webhook waits for as long as its attempts before make it, from now.
    const webhooks = `update webhook_deliveries set taken_until = least(taken_until, :now + :takenMs),
        next_attempt_at = least(next_attempt_at, :now + coalesce((:waits::bigint[])[attempts], 0))
      where state = 'waiting' and (taken_until > :now + :takenMs or next_attempt_at > :now)`
    try {
      await this.#database.run(wait, { now }, repeatable)
      await this.#database.run(lease, { until: now + everyMs }, repeatable)
      for (const silence of silences) await this.#database.run(silence, { now }, repeatable)
      await this.#database.run(webhooks, { now, takenMs, waits: webhookWaitsMs }, repeatable)
      return true
    } catch {
      return false
    }
  }
}

/** What to add to the monotonic clock; wrong by half of what the question took, at most. */
async function readOffset(database: Database): Promise<number> {
  const requested = performance.now()
  const row = await database.get('select extract(epoch from clock_timestamp())::double precision * 1000 as now', {}, { repeatable: true })
  return Number(row?.now) - (requested + performance.now()) / 2
}
