import { attraction, boundedLoad } from '../../../core/cluster/attraction.ts'

/** The state of one of several servers of a model, as used to choose between them. */
export interface ReplicaView {
  readonly url: string
  readonly weight: number
  readonly slots: number
  /** Requests that this service has running there. */
  readonly inFlight: number
  /** Time until which no request is sent there, in the clock's milliseconds; null = it answers. */
  readonly downUntil: number | null
  /** Time until which other servers are preferred, after a failed or busy response. */
  readonly avoidedUntil: number
}

/**
 * Orders the servers for one conversation.
 *
 * Reachable servers with room come first, then avoided or full ones, then servers that are down, due for a retry and not being retried. Within each group, a
 * conversation goes to the server of its key (rendezvous hashing by weight) unless that carries more than 1.25 times its share ("consistent hashing with bounded
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
