/** One account's share of a queue in which accounts take turns. */
export interface QueueShare {
  readonly accountId: string
  readonly pending: number
  /** Grows with every claim; the lowest goes next. */
  readonly turn: number
}

/**
 * The place of an inference when accounts take turns, 1 = next.
 *
 * @param own Its account, and how many of the account's inferences are before it.
 * @param shares Every account of the same model and priority.
 * @param ahead Inferences of higher priority, all of which go first.
 */
export function findQueuePosition(
  own: { readonly accountId: string; readonly before: number },
  shares: readonly QueueShare[],
  ahead: number,
): number {
  const turn = shares.find((share) => share.accountId === own.accountId)?.turn ?? 0
  const others = shares
    .filter((share) => share.accountId !== own.accountId)
    .reduce((sum, share) => sum + Math.min(share.pending, share.turn < turn ? own.before + 1 : own.before), 0)
  return ahead + others + own.before + 1
}
