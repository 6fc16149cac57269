import type { ClusterNode, NamedPull, NodeReport } from '../core/cluster/node.ts'
import { ServiceError } from '../core/error.ts'
import { checkPullSource, type ModelPull, type PlacedPull, type PullDesk } from '../core/model-pull.ts'
import type { Clock } from '../core/ports/clock.ts'

/** The pulls of this machine. */
export interface OwnPulls {
  list(): readonly ModelPull[]
  start(source: string, startedAt?: number): boolean
  remove(source: string, startedAt?: number): boolean
}

/** Maximum number of pulls in a report, newest first, and of characters of a failure reason. */
const maxReported = 10
const longestReason = 500

/** The pulls of all nodes. Each node reports its own, starts those requested by others, and stops those stopped by others. */
export class ClusterPulls implements PullDesk {
  readonly #self: Pick<NodeReport, 'id' | 'host'>
  readonly #own: OwnPulls | null
  readonly #clock: Pick<Clock, 'now'>
  /** Stopped pulls of other nodes, by node, source and start. */
  readonly #stopped = new Map<string, NamedPull>()
  readonly #wanted = new Map<string, NamedPull>()
  /** Pulls started at the request of others, while they still report the request. */
  #begun: ReadonlySet<string> = new Set()
  #nodes: readonly ClusterNode[] = []

  /** @param own null = this node runs no models, so none are pulled to it. */
  constructor(self: Pick<NodeReport, 'id' | 'host'>, own: OwnPulls | null, clock: Pick<Clock, 'now'>) {
    this.#self = self
    this.#own = own
    this.#clock = clock
  }

  list(): readonly PlacedPull[] {
    const own = (this.#own?.list() ?? []).map((pull) => ({ ...pull, node: this.#self.host }))
    const wanted = [...this.#wanted.values()].map(({ node, source, startedAt }) => ({
      ...{ source, startedAt, state: 'pulling', bytesDone: 0, bytesTotal: 0, bytesPerSecond: null, reason: null },
      node: this.#nodes.find(({ id }) => id === node)?.host ?? null,
    })) satisfies readonly PlacedPull[]
    return [...own, ...this.#elsewhere().map(({ host, pull }) => ({ ...pull, node: host })), ...wanted]
  }

  start(source: string): boolean {
    if (this.#own !== null) return this.#own.start(source)
    checkPullSource(source)
    if (this.list().some((pull) => pull.source === source && pull.state === 'pulling')) return false
    this.#want({ node: this.#chooseNode(), source, startedAt: this.#clock.now() })
    return true
  }

  remove(source: string): boolean {
    const isKnown = this.list().some((pull) => pull.source === source)
    this.#own?.remove(source)
    const isIt = (pull: { readonly source: string }) => pull.source === source
    for (const { id: node, pull } of this.#elsewhere())
      if (isIt(pull)) this.#note(this.#stopped, { node, source, startedAt: pull.startedAt })
    for (const [key, wanted] of this.#wanted) if (isIt(wanted)) this.#wanted.delete(key)
    return isKnown
  }

  /** The pulls for this node's next report. */
  report(): Pick<NodeReport, 'pulls' | 'stoppedPulls' | 'wantedPulls' | 'takesPulls'> {
    const pulls = (this.#own?.list() ?? [])
      .slice(-maxReported)
      .map((pull) => ({ ...pull, reason: pull.reason?.slice(0, longestReason) ?? null }))
    const [stoppedPulls, wantedPulls] = [[...this.#stopped.values()], [...this.#wanted.values()]]
    return {
      ...(this.#own !== null && { takesPulls: true }),
      ...(pulls.length > 0 && { pulls }),
      ...(stoppedPulls.length > 0 && { stoppedPulls }),
      ...(wantedPulls.length > 0 && { wantedPulls }),
    }
  }

  /** Updates the view from the latest report of every node. */
  learn(nodes: readonly ClusterNode[]): void {
    this.#nodes = nodes
    for (const { node, source, startedAt } of nodes.flatMap(({ stoppedPulls = [] }) => stoppedPulls))
      if (node === this.#self.id) this.#own?.remove(source, startedAt)
    this.#begin(nodes.flatMap(({ wantedPulls = [] }) => wantedPulls).filter(({ node }) => node === this.#self.id))
    const reported = new Set(nodes.flatMap(({ id, pulls = [] }) => pulls.map((pull) => keyOf({ ...pull, node: id }))))
    for (const key of this.#stopped.keys()) if (!reported.has(key)) this.#stopped.delete(key)
    for (const [key, wanted] of this.#wanted) this.#follow(key, wanted, reported)
  }

  /** Starts requested pulls once, although requests are repeated until they are seen. */
  #begin(wanted: readonly NamedPull[]): void {
    for (const pull of wanted) if (!this.#begun.has(keyOf(pull))) this.#own?.start(pull.source, pull.startedAt)
    this.#begun = new Set(wanted.map(keyOf))
  }

  /** Ends a request whose node reports the pull; reassigns it if its node has left. */
  #follow(key: string, wanted: NamedPull, reported: ReadonlySet<string>): void {
    const node = this.#nodes.find(({ id }) => id === wanted.node)
    const isPulled = node?.pulls?.some(({ source, state }) => source === wanted.source && state === 'pulling') ?? false
    const next = node === undefined ? this.#findNode() : undefined
    if (reported.has(key) || isPulled || next !== undefined) this.#wanted.delete(key)
    if (next !== undefined) this.#want({ ...wanted, node: next.id })
  }

  #want(pull: NamedPull): void {
    this.#note(this.#wanted, pull)
  }

  #note(pulls: Map<string, NamedPull>, pull: NamedPull): void {
    pulls.set(keyOf(pull), pull)
  }

  #chooseNode(): string {
    const node = this.#findNode()
    if (node !== undefined) return node.id
    throw new ServiceError(
      'server_is_overloaded',
      'This node runs no models, and no node that does can be reached; start one with --role worker or --role all, and pull again.',
      { param: 'source' },
    )
  }

  /** The node with the most free memory for models. */
  #findNode(): ClusterNode | undefined {
    const takers = this.#nodes.filter(({ draining, takesPulls = false }) => takesPulls && !draining)
    return takers.toSorted((a, b) => b.memoryBytes - a.memoryBytes || (a.id < b.id ? -1 : 1))[0]
  }

  #elsewhere(): readonly { readonly id: string; readonly host: string; readonly pull: ModelPull }[] {
    return this.#nodes
      .filter(({ id }) => id !== this.#self.id)
      .flatMap(({ id, host, pulls = [] }) => pulls.map((pull) => ({ id, host, pull })))
      .filter(({ id, pull }) => !this.#stopped.has(keyOf({ ...pull, node: id })))
  }
}

function keyOf({ node, source, startedAt }: NamedPull): string {
  return `${node} ${startedAt} ${source}`
}
