import type { ClusterNode, NodeReport, StoppedPull } from '../core/cluster/node.ts'
import type { ModelPull, PlacedPull, PullDesk } from '../core/model-pull.ts'

/** What the pulls of this machine must do. */
export interface OwnPulls {
  list(): readonly ModelPull[]
  start(source: string): void
  remove(source: string, startedAt?: number): void
}

/** Pulls that a report tells of, the latest, and characters of why one failed. */
const mostTold = 10
const longestReason = 500

/** The pulls of every node: each tells of its own in its reports, and stops what others say was stopped. */
export class ClusterPulls implements PullDesk {
  readonly #self: Pick<NodeReport, 'id' | 'host'>
  readonly #own: OwnPulls
  /** Of other nodes, by node, source and start. */
  readonly #stopped = new Map<string, StoppedPull>()
  #nodes: readonly ClusterNode[] = []

  constructor(self: Pick<NodeReport, 'id' | 'host'>, own: OwnPulls) {
    this.#self = self
    this.#own = own
  }

  list(): readonly PlacedPull[] {
    const own = this.#own.list().map((pull) => ({ ...pull, node: this.#self.host }))
    return [...own, ...this.#elsewhere().map(({ host, pull }) => ({ ...pull, node: host }))]
  }

  start(source: string): void {
    this.#own.start(source)
  }

  remove(source: string): void {
    this.#own.remove(source)
    for (const { id: node, pull } of this.#elsewhere()) {
      const stopped = { node, source, startedAt: pull.startedAt }
      if (pull.source === source) this.#stopped.set(keyOf(stopped), stopped)
    }
  }

  /** What this node's next report says of pulls. */
  report(): Pick<NodeReport, 'pulls' | 'stoppedPulls'> {
    const pulls = this.#own
      .list()
      .slice(-mostTold)
      .map((pull) => ({ ...pull, reason: pull.reason?.slice(0, longestReason) ?? null }))
    const stoppedPulls = [...this.#stopped.values()]
    return { ...(pulls.length > 0 && { pulls }), ...(stoppedPulls.length > 0 && { stoppedPulls }) }
  }

  /** Learns what every node said last. */
  learn(nodes: readonly ClusterNode[]): void {
    this.#nodes = nodes
    for (const { node, source, startedAt } of nodes.flatMap(({ stoppedPulls = [] }) => stoppedPulls))
      if (node === this.#self.id) this.#own.remove(source, startedAt)
    const told = new Set(nodes.flatMap(({ id, pulls = [] }) => pulls.map((pull) => keyOf({ ...pull, node: id }))))
    for (const key of this.#stopped.keys()) if (!told.has(key)) this.#stopped.delete(key)
  }

  #elsewhere(): readonly { readonly id: string; readonly host: string; readonly pull: ModelPull }[] {
    return this.#nodes
      .filter(({ id }) => id !== this.#self.id)
      .flatMap(({ id, host, pulls = [] }) => pulls.map((pull) => ({ id, host, pull })))
      .filter(({ id, pull }) => !this.#stopped.has(keyOf({ ...pull, node: id })))
  }
}

function keyOf({ node, source, startedAt }: StoppedPull): string {
  return `${node} ${startedAt} ${source}`
}
