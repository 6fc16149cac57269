import { attraction, boundedLoad } from '../../../core/cluster/attraction.ts'

/** One server of several that run the same model, as the choice between them sees it. */
export interface ReplicaView {
  readonly url: string
  readonly weight: number
  readonly slots: number
  /** Requests that it works on for us. */
  readonly inFlight: number
  /** Until when nobody is sent there, in the clock's milliseconds; null = it answers. */
  readonly downUntil: number | null
  /** Until when others go first, since a request just failed there or it was busy. */
  readonly avoidedUntil: number
}

/**
 * The order in which servers are tried for a conversation.
 *
 * Those that answer and have room come first, then those that are avoided or full, then those that are down, due for another try and tried by nobody yet. Within each, a
 * conversation stays where its key leads (rendezvous hashing by weight) unless that server carries more than 1.25 times its share ("consistent hashing with bounded
 * loads", Mirrokni, Thorup and Zadimoghaddam 2016); then the least loaded is next.
 *
 * @returns Indexes of `replicas`; empty when all are down and none is due.
 */
export function orderReplicas(replicas: readonly ReplicaView[], { key, now }: { readonly key: string; readonly now: number }): number[] {
  const mayTry = ({ downUntil, inFlight }: ReplicaView): boolean => downUntil === null || (downUntil <= now && inFlight === 0)
  if (replicas.length === 1) return replicas.some(mayTry) ? [0] : []
  const total = replicas.reduce((sum, { inFlight }) => sum + inFlight, 0) + 1
  const weights = replicas.reduce((sum, { weight }) => sum + weight, 0)
  const ranked = replicas.flatMap((replica, index) => {
    if (!mayTry(replica)) return []
    const tier = replica.downUntil !== null ? 2 : replica.avoidedUntil > now || replica.inFlight >= replica.slots ? 1 : 0
    const share = Math.ceil((boundedLoad * total * replica.weight) / weights)
    const pull = attraction(key, { name: replica.url, weight: replica.weight })
    return [{ index, tier, isOver: replica.inFlight + 1 > share, pull, load: replica.inFlight / replica.weight }]
  })
  ranked.sort((a, b) => {
    if (a.tier !== b.tier) return a.tier - b.tier
    if (a.isOver !== b.isOver) return a.isOver ? 1 : -1
    return a.isOver ? a.load - b.load : b.pull - a.pull
  })
  return ranked.map(({ index }) => index)
}
