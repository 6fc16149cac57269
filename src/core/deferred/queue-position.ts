/** An account's share of a queue in which accounts take turns. */
export interface QueueShare {
  readonly accountId: string
  readonly pending: number
  /** Increases with every turn; the lowest goes next. */
  readonly turn: number
  /** Claims per turn, and claims already made in the current one. */
  readonly weight: number
  readonly taken: number
}

/**
 * Position of an inference when accounts take turns, 1 = next.
 *
 * @param own The account, and how many of its inferences come first.
 * @param shares Every account of the same model and priority.
 * @param ahead Number of inferences of higher priority, which all go first.
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

/** Claims left in the current turn; at least one, since the weight may have been lowered meanwhile. */
function leftOfTurn({ weight, taken }: Turn): number {
  return Math.max(1, weight - taken)
}

/** Whole turns of an account before a claim, given how many of its own come first. */
function turnsBefore(share: Turn, before: number): number {
  const left = leftOfTurn(share)
  return before < left ? 0 : 1 + Math.floor((before - left) / share.weight)
}

/** Claims of an account in its next turns. */
function claimsIn(share: Turn, turns: number): number {
  return turns === 0 ? 0 : leftOfTurn(share) + (turns - 1) * share.weight
}

/** Positions up to this one within an account's queue are counted; later ones are estimated, to bound the cost of a poll. */
export const countedPlaces = 1000

/**
 * Estimates how many of an account's inferences come before one beyond {@link countedPlaces}.
 *
 * @param queue Number of the account's pending inferences, and the sequence numbers of the first and last.
 * @param seq Sequence number of the inference.
 */
export function estimateBefore(queue: { readonly pending: number; readonly first: number; readonly last: number }, seq: number): number {
  const { pending, first, last } = queue
  return Math.max(countedPlaces, Math.round((pending * (seq - first)) / (last - first + 1)))
}
