import type { ClusterNode } from '../core/cluster/node.ts'
import { ServiceError } from '../core/error.ts'
import { findDescriptor } from '../core/find-descriptor.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { ImageModel } from '../core/ports/image-model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { AcquireOptions, ModelLease, ModelPool, ModelState, TextAhead } from '../core/ports/model-pool.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { Abortable } from '../core/waiting.ts'
import { chooseNode, type NodeView } from './choose-node.ts'
import type { ClusterView } from './cluster-view.ts'
import { type AheadCall, type LeasedSlot, type LeasingNode, type LenderAddress, leaseSlot } from './lease-slot.ts'
import { type LeaseQuestion, NodeLost } from './lease-wire.ts'
import { mergeStates } from './merge-states.ts'
import { createRemoteImageModel, createRemoteTextModel } from './remote-models.ts'
import { maxReroutes, type PlacedLease, rerouteImage, rerouteText } from './reroute.ts'

export interface ClusterPoolDependencies {
  readonly leasingNode: LeasingNode
  readonly view: Pick<ClusterView, 'lenders' | 'suspect' | 'changed'>
  /** All models of the cluster. */
  readonly catalog: ModelCatalog
  /** The `traceparent` of the current request; absent = tracing is off. */
  readonly traceparent?: () => string | undefined
  /** The models of this machine; null = it computes nothing. */
  readonly own: { readonly id: string; readonly pool: ModelPool; readonly catalog: ModelCatalog } | null
  /** Maximum wait for a node if there is none; absent = {@link maxNodeWaitMs}. */
  readonly nodeWaitMs?: number
}

/** Default maximum wait for a node if there is none: the only one with the model may be restarting. */
export const maxNodeWaitMs = 20_000

/** Slots on all nodes, including this one. A request prefers nodes that have the model loaded, and the node of its conversation. */
export function createClusterPool(deps: ClusterPoolDependencies): ModelPool {
  return new ClusterPool(deps)
}

class ClusterPool implements ModelPool {
  readonly #deps: ClusterPoolDependencies
  /** Slots per node and model that this node holds or waits for. */
  readonly #held = new Map<string, number>()

  constructor(deps: ClusterPoolDependencies) {
    this.#deps = deps
  }

  async acquireText(modelId: string, options: AcquireOptions): Promise<ModelLease<TextModel>> {
    const { own } = this.#deps
    return rerouteText((excluded) =>
      this.#acquire(modelId, 'text', options, excluded, {
        here: () => own?.pool.acquireText(modelId, options),
        there: (slot) => createRemoteTextModel(slot, options.account),
      }),
    )
  }

  async acquireImage(modelId: string, options: AcquireOptions): Promise<ModelLease<ImageModel>> {
    const { own } = this.#deps
    return rerouteImage((excluded) =>
      this.#acquire(modelId, 'image', options, excluded, {
        here: () => own?.pool.acquireImage(modelId, options),
        there: (slot) => createRemoteImageModel(slot, options.account),
      }),
    )
  }

  hasRoom(modelId: string): boolean {
    const isFree = ({ model, held }: NodeView) => Math.max(model.inUse + model.waiting, held) < model.slots
    return this.#deps.own?.pool.hasRoom(modelId) || this.#views(modelId).some((node) => node.id !== this.#deps.own?.id && isFree(node))
  }

  states(): readonly ModelState[] {
    const { own, view } = this.#deps
    return mergeStates([own?.pool.states() ?? [], ...view.lenders().map(({ node }) => node.models)])
  }

  async load(modelId: string, { signal }: Abortable): Promise<boolean> {
    findDescriptor(this.#deps.catalog, modelId)
    const views = this.#views(modelId)
    const chosen = chooseNode(views, { key: modelId, excluded: new Set() })
    if (chosen === null) throw makeNoNodeError(modelId)
    const wasLoaded = views.some(({ id, model }) => id === chosen && model.state === 'loaded')
    return (await this.#command('load', modelId, chosen, signal)) && !wasLoaded
  }

  async unload(modelId: string, { signal }: Abortable): Promise<boolean> {
    findDescriptor(this.#deps.catalog, modelId)
    const holding = this.#views(modelId).filter(({ model }) => model.state !== 'unloaded')
    const unloaded = await Promise.all(holding.map(({ id }) => this.#command('unload', modelId, id, signal)))
    return unloaded.includes(true)
  }

  async #command(kind: 'load' | 'unload', modelId: string, nodeId: string, signal: AbortSignal): Promise<boolean> {
    const { own, leasingNode } = this.#deps
    if (own?.id === nodeId) return own.pool[kind](modelId, { signal })
    const question = { kind, model: modelId, account: '', sequences: 1, deferred: false }
    await using _done = await leaseSlot(leasingNode, this.#addressOf(nodeId), question, { signal })
    // Other nodes do not report whether it changed anything; the caller compares the last state they reported.
    return true
  }

  async #acquire<Model>(
    modelId: string,
    kind: ModelDescriptor['kind'],
    { signal, account, conversation, sequences = 1, priority = 0, deferred = false, ahead }: AcquireOptions,
    excluded: Set<string>,
    model: { readonly here: () => Promise<ModelLease<Model>> | undefined; readonly there: (slot: LeasedSlot) => Model },
  ): Promise<PlacedLease<Model>> {
    findDescriptor(this.#deps.catalog, modelId, kind)
    const traceparent = this.#deps.traceparent?.()
    const traced = traceparent === undefined ? {} : { traceparent }
    const question: LeaseQuestion = { kind, model: modelId, account, sequences, deferred, priority, ...traced }
    const { view, leasingNode, nodeWaitMs = maxNodeWaitMs } = this.#deps
    const until = leasingNode.clock.steadyNow() + nodeWaitMs
    let refusal: unknown
    /** Whether nodes are missing rather than full; the next to report may have capacity. */
    let missing = true
    const lost = new Set(excluded)
    while (excluded.size <= maxReroutes) {
      const node = chooseNode(this.#views(modelId, kind), { key: conversation ?? null, excluded })
      if (node === null) {
        const left = until - leasingNode.clock.steadyNow()
        if (left <= 0 || !missing) break
        await view.changed(left, { signal })
        // The view ignores failed nodes for a while; retry them if there are no others.
        for (const each of lost) excluded.delete(each)
        lost.clear()
        continue
      }
      const release = this.#hold(node, modelId)
      try {
        const lease =
          node === this.#deps.own?.id
            ? await model.here()
            : await leaseSlot(leasingNode, this.#addressOf(node), question, { signal, ahead: this.#aheadFor(node, ahead) }).then(
                (slot) => ({
                  model: model.there(slot),
                  [Symbol.asyncDispose]: () => slot[Symbol.asyncDispose](),
                }),
              )
        if (lease === undefined) break
        return {
          node,
          model: lease.model,
          async [Symbol.asyncDispose]() {
            release()
            await lease[Symbol.asyncDispose]()
          },
        }
      } catch (error) {
        release()
        signal.throwIfAborted()
        if (error instanceof NodeLost) {
          view.suspect(node, error.cause)
          lost.add(node)
        } else if (!mayBeElsewhere(error)) throw error
        refusal = error
        missing = error instanceof NodeLost || (isStopping(error) && node !== this.#deps.own?.id)
        excluded.add(node)
      }
    }
    throw missing ? makeNoNodeError(modelId, refusal) : refusal
  }

  /** Counts a slot requested from a node; the returned function undoes it once. */
  #hold(node: string, modelId: string): () => void {
    const place = `${node} ${modelId}`
    this.#held.set(place, (this.#held.get(place) ?? 0) + 1)
    let held = true
    return () => {
      if (!held) return
      held = false
      const left = (this.#held.get(place) ?? 0) - 1
      if (left > 0) this.#held.set(place, left)
      else this.#held.delete(place)
    }
  }

  /** @param kind Absent = any kind of model with this id. */
  #views(modelId: string, kind?: ModelDescriptor['kind']): readonly NodeView[] {
    const { own, view } = this.#deps
    const unloaded = { state: 'unloaded', slots: 1, inUse: 0, waiting: 0 } as const
    const stateIn = (states: readonly ModelState[]) => states.find((state) => state.modelId === modelId) ?? unloaded
    const fits = (model: ModelDescriptor | undefined) => model !== undefined && (kind === undefined || model.kind === kind)
    const others = view
      .lenders()
      .filter(({ offer }) => fits(offer.models.find(({ id }) => id === modelId)))
      .map(({ node }) => ({
        id: node.id,
        draining: node.draining,
        model: stateIn(node.models),
        held: this.#held.get(`${node.id} ${modelId}`) ?? 0,
      }))
    const has = fits(own?.catalog.find(modelId))
    return own !== null && has ? [{ id: own.id, draining: false, model: stateIn(own.pool.states()), held: 0 }, ...others] : others
  }

  /** The call sent along with a slot request; nodes of earlier versions do not support it. */
  #aheadFor(nodeId: string, ahead: TextAhead | undefined): AheadCall | undefined {
    return ahead === undefined || (this.#nodeOf(nodeId)?.leaseFormat ?? 1) < 2 ? undefined : { method: ahead.asks, request: ahead.request }
  }

  #addressOf(nodeId: string): LenderAddress {
    const { url = null, leaseFormat = 1 } = this.#nodeOf(nodeId) ?? {}
    if (url === null) throw new NodeLost(nodeId, new Error('the node has left'))
    return { id: nodeId, url, leaseFormat }
  }

  #nodeOf(nodeId: string): ClusterNode | undefined {
    return this.#deps.view.lenders().find(({ node }) => node.id === nodeId)?.node
  }
}

/** Whether another node may succeed: this one is full or stopping, or its model crashes. */
function mayBeElsewhere(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.code === 'server_is_overloaded' ||
      error.code === 'shutting_down' ||
      error.code === 'model_loading' ||
      error.code === 'model_not_found')
  )
}

function isStopping(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'shutting_down'
}

function makeNoNodeError(modelId: string, cause?: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', `No node that runs ${modelId} can be reached; try again later.`, {
    retryAfterSeconds: 2,
    cause,
  })
}
