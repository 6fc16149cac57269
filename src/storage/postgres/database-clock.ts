import { webhookWaitsMs } from '../../core/deferred/webhook-waits.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Abortable } from '../../core/waiting.ts'
import { repeatable } from '../tables/statements.ts'
import type { Database } from './database.ts'
import { takenMs } from './webhook-log.ts'

const everyMs = 30_000
/** A larger change is a jump of the clock, neither drift nor a slow query. */
const jumpMs = 3000

/**
 * The database's time, which is the same for all nodes regardless of their own clocks. Between queries it advances by the machine's
 * monotonic clock.
 */
export class DatabaseClock implements Clock, Disposable {
  readonly #database: Database
  readonly #machine: Clock
  readonly #timer: NodeJS.Timeout
  #offset: number

  /** @param machine Used only for waiting and for durations. */
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

  steadyNow(): number {
    return this.#machine.steadyNow()
  }

  wait(ms: number, options: Abortable): Promise<void> {
    return this.#machine.wait(ms, options)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** Queries the time now, as otherwise every half minute. */
  async correct(): Promise<void> {
    // While the database is unavailable, the machine's clock continues alone.
    const offset = await readOffset(this.#database).catch(() => this.#offset)
    // Other nodes notice it within half a minute and renew their leases by the old time until then.
    const aheadMs = offset - this.#offset
    if (Math.abs(aheadMs) > jumpMs) this.#database.unsettle(everyMs)
    // Failed, so the offset is unchanged and is checked again next time.
    if (-aheadMs > jumpMs && !(await this.#bringForward(Math.floor(performance.now() + offset)))) return
    this.#offset = offset
  }

  /**
   * After the clock was set back: makes work due whose delay or lease would now end too late. The holder of a lease renews it meanwhile.
   */
  async #bringForward(now: number): Promise<boolean> {
    const wait = 'update queue set not_before = 0 where not running and not_before > :now'
    const lease = 'update queue set lease_until = :until where running and lease_until > :until'
    // Reports of dead nodes must not be in the future; live nodes report again.
    const silences = [
      'update nodes set seen_at = :now where seen_at > :now',
      'update holders set seen_at = clock_timestamp() where seen_at > clock_timestamp()',
    ]
    // Idempotent across nodes: the wait of a webhook follows from its number of attempts, starting now.
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

/** Offset to the monotonic clock; the error is at most half the duration of the query. */
async function readOffset(database: Database): Promise<number> {
  const requested = performance.now()
  const row = await database.get('select extract(epoch from clock_timestamp())::double precision * 1000 as now', {}, repeatable)
  return Number(row?.now) - (requested + performance.now()) / 2
}
