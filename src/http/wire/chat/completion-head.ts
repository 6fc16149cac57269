import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../core/ports/clock.ts'

/** What every answer and chunk of one generation shares. */
export interface CompletionHead {
  /** `cmpl-` and 32 hex digits. */
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  /** What the caller asked to have named; absent = nothing. */
  readonly tier?: 'default' | 'flex' | 'priority' | undefined
}

/** A head with an id of its own and the time now. */
export function startCompletion(clock: Clock, model: string, tier?: CompletionHead['tier']): CompletionHead {
  return { ...(tier && { tier }), id: `cmpl-${randomUUID().replaceAll('-', '')}`, created: Math.floor(clock.now() / 1000), model }
}
