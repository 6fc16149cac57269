/** One account's share of a queue in which accounts take turns. */
export interface QueueShare {
  readonly accountId: string
  readonly pending: number
  /** Grows with every turn; the lowest goes next. */
  readonly turn: number
  /** Claims that the account has in one turn, and how many of the present one it has had. */
  readonly weight: number
  readonly taken: number
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
  const share = shares.find(({ accountId }) => accountId === own.accountId) ?? { turn: 0, weight: 1, taken: 0 }
  const turns = turnsBefore(share, own.before)
  const others = shares
    .filter(({ accountId }) => accountId !== own.accountId)
    .reduce((sum, other) => sum + Math.min(other.pending, claimsIn(other, other.turn < share.turn ? turns + 1 : turns)), 0)
  return ahead + others + own.before + 1
}

type Turn = Pick<QueueShare, 'weight' | 'taken'>

/** What is left of a turn that has begun; one at least, since a weight may have been lowered meanwhile. */
function leftOfTurn({ weight, taken }: Turn): number {
  return Math.max(1, weight - taken)
}

/** Whole turns of an account before the claim that so many of its own come before. */
function turnsBefore(share: Turn, before: number): number {
  const left = leftOfTurn(share)
  return before < left ? 0 : 1 + Math.floor((before - left) / share.weight)
}

/** Claims that an account has in its next turns. */
function claimsIn(share: Turn, turns: number): number {
  return turns === 0 ? 0 : leftOfTurn(share) + (turns - 1) * share.weight
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
