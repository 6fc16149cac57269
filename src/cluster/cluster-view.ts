import { createHash } from 'node:crypto'
import { type ClusterNode, type NodeOffer, type NodeReport, type NodeTally, reportEveryMs } from '../core/cluster/node.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { NodeRegistry } from '../core/ports/node-registry.ts'
import { firstOf, orAborted } from '../core/waiting.ts'
import type { ClusterPulls } from './cluster-pulls.ts'

export interface ClusterViewSettings {
  readonly registry: NodeRegistry
  readonly clock: Clock
  /** What never changes in this node's reports. */
  readonly self: Pick<NodeReport, 'id' | 'role' | 'url' | 'host' | 'version' | 'memoryBytes' | 'workFormat' | 'leaseFormat'>
  /** What this machine lends; null = nothing. */
  readonly lends: { readonly pool: ModelPool; readonly catalog: ModelCatalog } | null
  readonly isDraining: () => boolean
  /** What it has done so far. */
  readonly tally: () => NodeTally
  /** What the nodes tell each other of models that they pull. */
  readonly pulls: Pick<ClusterPulls, 'report' | 'learn'>
  readonly onFault: (error: unknown) => void
  /** Called with a node that could not be reached, and why; once a minute while that lasts. */
  readonly onUnreached: (node: Pick<ClusterNode, 'id' | 'host' | 'url'>, cause: unknown) => void
}

/** How long a node that could not be reached is left alone. */
const suspectedMs = 6000
const reportAgainMs = 60_000
/** How long what a node offered is remembered after it was last heard of: it may be starting again. */
const rememberedMs = 60_000
/** A report that takes longer is given up, so that the next is not late. */
const reportLimitMs = 4000

interface KnownOffer {
  readonly offer: string
  readonly content: NodeOffer
  readonly url: string | null
  /** When its node was last among those that are there. */
  readonly seenAt: number
}

/** Reports this node to the registry again and again, and remembers what the others said. */
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
   * Reports for the first time, and from then on until it is disposed of.
   *
   * @throws {Error} when another node has a model of this one as one of another kind; what the registry throws.
   */
  static async open(settings: ClusterViewSettings, options: { readonly signal: AbortSignal }): Promise<ClusterView> {
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

  /** Every node of the last report, this one included. When the registry does not answer, they are those of the last answer. */
  nodes(): readonly ClusterNode[] {
    return this.#nodes
  }

  /** Other nodes that may lend slots: known by what they offer, and not just found out of reach. */
  lenders(): readonly { readonly node: ClusterNode; readonly offer: NodeOffer }[] {
    const { clock, self } = this.#settings
    return this.#nodes.flatMap((node) => {
      const content = this.#offers.get(node.id)?.content
      const isSuspect = (this.#suspects.get(node.id)?.until ?? 0) > clock.now()
      return content === undefined || node.url === null || node.id === self.id || isSuspect ? [] : [{ node, offer: content }]
    })
  }

  /** What other nodes offer, those included that cannot be reached just now or left within the last minute: they may come back. */
  offers(): readonly NodeOffer[] {
    return [...this.#offers.values()].map(({ content }) => content)
  }

  /** Resolves when there is something new of the other nodes, or after `timeoutMs`. */
  async changed(timeoutMs: number, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const updated = this.#updated.promise
    await firstOf(
      signal,
      (either) => orAborted(updated, either),
      (either) => this.#settings.clock.wait(timeoutMs, { signal: either }),
    )
  }

  /** Leaves a node alone for a while, since it could not be reached. */
  suspect(nodeId: string, cause: unknown): void {
    const { clock, onUnreached } = this.#settings
    const now = clock.now()
    const reportedAt = this.#suspects.get(nodeId)?.reportedAt
    const isNews = reportedAt === undefined || now - reportedAt >= reportAgainMs
    this.#suspects.set(nodeId, { until: now + suspectedMs, reportedAt: isNews ? now : reportedAt })
    const node = this.#nodes.find(({ id }) => id === nodeId)
    if (isNews && node !== undefined) onUnreached(node, cause)
  }

  /** Reports now, for what others should know at once. */
  async refresh(options: { readonly signal: AbortSignal }): Promise<void> {
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

  /** An earlier life of this node, and nodes that leave, count no more. */
  #findConflict(): Error | undefined {
    const { lends, self } = this.#settings
    const others = this.lenders().filter(({ node }) => !node.draining && node.url !== self.url)
    return findKindConflict(lends?.catalog.list() ?? [], others)
  }

  async #report(options: { readonly signal: AbortSignal }): Promise<void> {
    const { registry, self, lends, isDraining, tally, pulls } = this.#settings
    const content: NodeOffer = { models: lends?.catalog.list() ?? [], assets: lends?.catalog.listAssets() ?? [] }
    const offer = createHash('sha256').update(JSON.stringify(content)).digest('base64url')
    // The offer first: a report must not name one that cannot be found.
    if (offer !== this.#offered) await registry.offer(self.id, content, options)
    this.#offered = offer
    const models = lends?.pool.states() ?? []
    const report = { ...self, draining: isDraining(), models, tally: tally(), ...pulls.report(), offer }
    const nodes = await registry.report(report, options)
    pulls.learn(nodes)
    await Promise.all(nodes.map((node) => this.#learnOffer(node, options)))
    this.#nodes = nodes
    this.#forgetOffers()
    this.#updated.resolve()
    this.#updated = Promise.withResolvers()
  }

  async #learnOffer({ id, offer, url }: ClusterNode, options: { readonly signal: AbortSignal }): Promise<void> {
    const { self, registry, clock } = this.#settings
    if (id === self.id) return
    const known = this.#offers.get(id)
    const content = known?.offer === offer ? known.content : await registry.findOffer(id, options)
    if (content !== null) this.#offers.set(id, { offer, content, url, seenAt: clock.now() })
  }

  /** What was offered too long ago, or by an earlier life of a node that is back, counts no more. */
  #forgetOffers(): void {
    const here = new Set(this.#nodes.map(({ id }) => id))
    const urls = new Set(this.#nodes.flatMap(({ id, url }) => (this.#offers.has(id) ? [url] : [])))
    const since = this.#settings.clock.now() - rememberedMs
    for (const [id, { url, seenAt }] of this.#offers)
      if (!here.has(id) && (seenAt < since || (url !== null && urls.has(url)))) this.#offers.delete(id)
  }
}

const kindWords = { text: 'a text model', image: 'an image model' } as const

/** The first of a node's models that another node has as one of another kind, so that requests for it could come to either; undefined = none. */
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
