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

/** Places of an account's own queue that are counted; farther back they are estimated, so that no poll walks a long queue. */
export const countedPlaces = 1000

/**
 * About how many of an account's inferences are before one that is farther back than what is counted.
 *
 * @param queue How many the account has pending, the numbers of the first and the last of them in the order of their submission.
 * @param seq The number of the inference.
 */
export function estimateBefore(queue: { readonly pending: number; readonly first: number; readonly last: number }, seq: number): number {
  const { pending, first, last } = queue
  return Math.max(countedPlaces, Math.round((pending * (seq - first)) / (last - first + 1)))
}
