import { findQueuePosition } from '../../core/deferred/queue-position.ts'
import type { Inference, InferenceStatus } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog, InferencePage } from '../../core/ports/inference-log.ts'
import type { StoredOutput } from '../../core/ports/output-store.ts'
import type { InferenceEntry } from './inference-entry.ts'
import type { InferenceTable } from './inference-table.ts'
import type { Turns } from './turns.ts'

type Options = { readonly signal: AbortSignal }

/** Reads what the queue in memory holds. */
export class MemoryInferenceLog implements InferenceLog {
  readonly #table: InferenceTable
  readonly #turns: Turns
  readonly #clock: Clock
  readonly #weightOf: (accountId: string) => number

  constructor(
    table: InferenceTable,
    turns: Turns,
    { clock, weightOf }: { readonly clock: Clock; readonly weightOf: (accountId: string) => number },
  ) {
    this.#table = table
    this.#turns = turns
    this.#clock = clock
    this.#weightOf = weightOf
  }

  async find(id: string, accountId: string, { signal }: Options): Promise<Inference | null> {
    signal.throwIfAborted()
    const entry = this.#table.find(id, accountId)
    return entry === null ? null : { ...entry.inference, queuePosition: this.#findPosition(entry) }
  }

  async list(
    { accountId, status, limit, after }: { accountId: string; status: InferenceStatus | null; limit: number; after: string | null },
    { signal }: Options,
  ): Promise<InferencePage> {
    signal.throwIfAborted()
    const last = after === null ? Number.POSITIVE_INFINITY : (this.#table.find(after, accountId)?.seq ?? 0)
    const found = this.#table
      .all()
      .filter(({ inference, seq }) => inference.accountId === accountId && (status ?? inference.status) === inference.status && seq < last)
      .sort((a, b) => b.seq - a.seq)
    const inferences = found.slice(0, limit).map(({ inference }) => inference)
    return { inferences, next: found.length > limit ? (inferences.at(-1)?.id ?? null) : null }
  }

  async oldestPending({ signal }: Options): Promise<number | null> {
    signal.throwIfAborted()
    const submitted = this.#table.pending().map(({ inference }) => inference.createdAt)
    return submitted.length === 0 ? null : Math.min(...submitted)
  }

  async findOrphans(outputs: readonly StoredOutput[], { signal }: Options): Promise<readonly string[]> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const isWanted = ({ key, inferenceId }: StoredOutput) => {
      const known = this.#table.known(inferenceId)?.inference
      if (known === undefined || known.expiresAt === null) return known !== undefined
      return known.output?.key === key && known.expiresAt > now
    }
    return outputs.filter((output) => !isWanted(output)).map(({ key }) => key)
  }

  #findPosition({ inference, seq }: InferenceEntry): number | null {
    if (inference.status !== 'pending') return null
    const waiting = this.#table.pending().filter((entry) => entry.inference.model === inference.model)
    const rivals = waiting.filter((entry) => entry.inference.priority === inference.priority)
    const before = rivals.filter((entry) => entry.inference.accountId === inference.accountId && entry.seq < seq).length
    const ahead = inference.priority === 'low' ? waiting.length - rivals.length : 0
    return findQueuePosition({ accountId: inference.accountId, before }, this.#turns.shares(rivals, this.#weightOf), ahead)
  }
}
