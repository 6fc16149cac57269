import { createHash } from 'node:crypto'
import { type ClusterNode, type NodeOffer, type NodeReport, type NodeTally, reportEveryMs } from '../core/cluster/node.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { NodeRegistry } from '../core/ports/node-registry.ts'
import { type Abortable, firstOf, orAborted } from '../core/waiting.ts'
import type { ClusterPulls } from './cluster-pulls.ts'

export interface ClusterViewSettings {
  readonly registry: NodeRegistry
  readonly clock: Clock
  /** Constant fields of this node's reports. */
  readonly self: Pick<NodeReport, 'id' | 'role' | 'url' | 'host' | 'version' | 'memoryBytes' | 'workFormat' | 'leaseFormat'>
  /** Models this machine offers; null = none. */
  readonly lends: { readonly pool: ModelPool; readonly catalog: ModelCatalog } | null
  readonly isDraining: () => boolean
  /** Counters of this node. */
  readonly tally: () => NodeTally
  /** Exchange of pulls between nodes. */
  readonly pulls: Pick<ClusterPulls, 'report' | 'learn'>
  readonly onFault: (error: unknown) => void
  /** Called with an unreachable node and the cause; once a minute while it lasts. */
  readonly onUnreached: (node: Pick<ClusterNode, 'id' | 'host' | 'url'>, cause: unknown) => void
}

/** Time for which an unreachable node is not used. */
const suspectedMs = 6000
const reportAgainMs = 60_000
/** Time for which the models of a silent node stay listed, since it may be restarting. */
const rememberedMs = 60_000
/** Time limit of a report, so that the next one is not late. */
const reportLimitMs = 4000

interface KnownOffer {
  readonly offer: string
  readonly content: NodeOffer
  readonly url: string | null
  /** Time at which its node was last in the report. */
  readonly seenAt: number
}

/** Reports this node to the registry periodically and caches the reports of others. */
export class ClusterView implements AsyncDisposable {
  readonly #settings: ClusterViewSettings
  readonly #stop = new AbortController()
  readonly #offers = new Map<string, KnownOffer>()
  readonly #suspects = new Map<string, { readonly until: number; readonly reportedAt: number }>()
  #nodes: readonly ClusterNode[] = []
  #offered = ''
  #running: Promise<void> = Promise.resolve()
  #updated = Promise.withResolvers<void>()

  private constructor(settings: ClusterViewSettings) {
    this.#settings = settings
  }

  /**
   * Sends the first report, and repeats it until disposed of.
   *
   * @throws {Error} if another node has a model of the same id but another kind; the errors of the registry.
   */
  static async open(settings: ClusterViewSettings, options: Abortable): Promise<ClusterView> {
    const view = new ClusterView(settings)
    await view.#report(options)
    const conflict = view.#findConflict()
    if (conflict !== undefined) {
      await view[Symbol.asyncDispose]()
      throw conflict
    }
    view.#running = view.#keepReporting()
    return view
  }

  /** All nodes of the last report, including this one. If the registry does not respond, those of its last response. */
  nodes(): readonly ClusterNode[] {
    return this.#nodes
  }

  /** Other nodes that offer slots: their models are known and they are not marked unreachable. */
  lenders(): readonly { readonly node: ClusterNode; readonly offer: NodeOffer }[] {
    const { clock, self } = this.#settings
    return this.#nodes.flatMap((node) => {
      const content = this.#offers.get(node.id)?.content
      const isSuspect = (this.#suspects.get(node.id)?.until ?? 0) > clock.steadyNow()
      return content === undefined || node.url === null || node.id === self.id || isSuspect ? [] : [{ node, offer: content }]
    })
  }

  /** Models of other nodes, including those that are unreachable or left within the last minute. */
  offers(): readonly NodeOffer[] {
    return [...this.#offers.values()].map(({ content }) => content)
  }

  /** Resolves after a change of other nodes, or after `timeoutMs`. */
  async changed(timeoutMs: number, { signal }: Abortable): Promise<void> {
    const updated = this.#updated.promise
    await firstOf(
      signal,
      (either) => orAborted(updated, either),
      (either) => this.#settings.clock.wait(timeoutMs, { signal: either }),
    )
  }

  /** Marks a node as unreachable for a while. */
  suspect(nodeId: string, cause: unknown): void {
    const { clock, onUnreached } = this.#settings
    const now = clock.steadyNow()
    const reportedAt = this.#suspects.get(nodeId)?.reportedAt
    const isNews = reportedAt === undefined || now - reportedAt >= reportAgainMs
    this.#suspects.set(nodeId, { until: now + suspectedMs, reportedAt: isNews ? now : reportedAt })
    const node = this.#nodes.find(({ id }) => id === nodeId)
    if (isNews && node !== undefined) onUnreached(node, cause)
  }

  /** Reports now, for urgent changes. */
  async refresh(options: Abortable): Promise<void> {
    await this.#report(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    const { registry, self, onFault } = this.#settings
    await registry.leave(self.id, { signal: AbortSignal.timeout(reportLimitMs) }).catch(onFault)
  }

  async #keepReporting(): Promise<void> {
    const { signal } = this.#stop
    const { clock, onFault } = this.#settings
    while (!signal.aborted) {
      await clock.wait(reportEveryMs, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        await this.#report({ signal: AbortSignal.any([signal, AbortSignal.timeout(reportLimitMs)]) })
        const conflict = this.#findConflict()
        if (conflict !== undefined) onFault(conflict)
      } catch (error) {
        if (!signal.aborted) onFault(error)
      }
    }
  }

  /** Ignores an earlier process of this node, and nodes that are leaving. */
  #findConflict(): Error | undefined {
    const { lends, self } = this.#settings
    const others = this.lenders().filter(({ node }) => !node.draining && node.url !== self.url)
    return findKindConflict(lends?.catalog.list() ?? [], others)
  }

  async #report(options: Abortable): Promise<void> {
    const { registry, self, lends, isDraining, tally, pulls } = this.#settings
    const content: NodeOffer = { models: lends?.catalog.list() ?? [], assets: lends?.catalog.listAssets() ?? [] }
    const offer = createHash('sha256').update(JSON.stringify(content)).digest('base64url')
    // The offer first: a report must not refer to one that does not exist.
    if (offer !== this.#offered) await registry.offer(self.id, content, options)
    this.#offered = offer
    const models = lends?.pool.states() ?? []
    const report = { ...self, draining: isDraining(), models, tally: tally(), ...pulls.report(), offer }
    const nodes = await registry.report(report, options)
    // Forgotten after a long silence; the next report offers again.
    if (nodes.some(({ id, hasOffer }) => id === self.id && !hasOffer)) this.#offered = ''
    pulls.learn(nodes)
    await Promise.all(nodes.map((node) => this.#learnOffer(node, options)))
    this.#nodes = nodes
    this.#forgetOffers()
    this.#updated.resolve()
    this.#updated = Promise.withResolvers()
  }

  async #learnOffer({ id, offer, url }: ClusterNode, options: Abortable): Promise<void> {
    const { self, registry, clock } = this.#settings
    if (id === self.id) return
    const known = this.#offers.get(id)
    const content = known?.offer === offer ? known.content : await registry.findOffer(id, options)
    if (content !== null) this.#offers.set(id, { offer, content, url, seenAt: clock.steadyNow() })
  }

  /** Forgets offers that are too old, or of an earlier process of a node. */
  #forgetOffers(): void {
    const here = new Set(this.#nodes.map(({ id }) => id))
    const urls = new Set(this.#nodes.flatMap(({ id, url }) => (this.#offers.has(id) ? [url] : [])))
    const since = this.#settings.clock.steadyNow() - rememberedMs
    for (const [id, { url, seenAt }] of this.#offers)
      if (!here.has(id) && (seenAt < since || (url !== null && urls.has(url)))) this.#offers.delete(id)
  }
}

const kindWords = { text: 'a text model', image: 'an image model' } as const

/** The first model of a node that another node has as another kind, so that its requests could reach either; undefined = none. */
function findKindConflict(
  own: readonly Pick<ModelDescriptor, 'id' | 'kind'>[],
  others: readonly { readonly node: Pick<ClusterNode, 'host' | 'url'>; readonly offer: Pick<NodeOffer, 'models'> }[],
): Error | undefined {
  const kinds = new Map(own.map(({ id, kind }) => [id, kind]))
  for (const { node, offer } of others)
    for (const { id, kind } of offer.models) {
      const here = kinds.get(id)
      if (here !== undefined && here !== kind)
        return new Error(
          `The model ${id} is ${kindWords[here]} here and ${kindWords[kind]} at the node ${node.host} (${node.url}); give one of them another id.`,
        )
    }
  return undefined
}
