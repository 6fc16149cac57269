import { createSecretKey, type KeyObject } from 'node:crypto'
import { createClusterCatalog } from '../../../src/cluster/cluster-catalog.ts'
import { createClusterPool } from '../../../src/cluster/cluster-pool.ts'
import { ClusterPulls, type OwnPulls } from '../../../src/cluster/cluster-pulls.ts'
import { ClusterView, type ClusterViewSettings } from '../../../src/cluster/cluster-view.ts'
import type { LeasingNode } from '../../../src/cluster/lease-slot.ts'
import { leaseFormat } from '../../../src/cluster/lease-wire.ts'
import { type LenderSettings, lendSlots } from '../../../src/cluster/lend-slots.ts'
import type { NodeTls } from '../../../src/cluster/node-tls.ts'
import { createSystemClock } from '../../../src/composition/system-clock.ts'
import type { NodeRole } from '../../../src/core/cluster/node.ts'
import type { Clock } from '../../../src/core/ports/clock.ts'
import type { ModelCatalog } from '../../../src/core/ports/model-catalog.ts'
import type { ModelPool } from '../../../src/core/ports/model-pool.ts'
import type { NodeRegistry } from '../../../src/core/ports/node-registry.ts'
import type { TextModel } from '../../../src/core/ports/text-model.ts'
import { neverAborted } from '../../../src/core/waiting.ts'
import { createFakeCatalog } from '../../../src/runtimes/fake/fake-catalog.ts'
import { createFakeImageModel } from '../../../src/runtimes/fake/fake-image-model.ts'
import { createFakeTextModel } from '../../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../../src/runtimes/fake/fixed-model-pool.ts'
import { idleTally } from './node-report.ts'

export const clusterSecret = createSecretKey('a secret of sixteen characters or more', 'utf8')

/** A node without HTTP interface and store: the slots that it lends, and a pool that leases slots of others. */
export interface TestNode extends AsyncDisposable {
  readonly id: string
  /** Where others ask it for slots; null = an API node. */
  readonly url: string | null
  readonly pool: ModelPool
  readonly catalog: ModelCatalog
  readonly view: ClusterView
  readonly pulls: ClusterPulls
  readonly leasingNode: LeasingNode
  /** Texts that began here. */
  readonly requested: string[]
  /** Its log of nodes that it could not reach. */
  readonly unreached: readonly string[]
  /** Its log of unexpected errors. */
  readonly faults: readonly unknown[]
  drain(): Promise<void>
  /** Cuts every lease and stops answering, without a report to the registry. */
  kill(): Promise<void>
}

export interface TestNodeSettings {
  readonly registry: NodeRegistry
  readonly id: string
  readonly role?: NodeRole
  readonly secret?: KeyObject
  readonly tls?: NodeTls | undefined
  readonly text?: TextModel
  readonly slots?: number
  readonly catalog?: ModelCatalog
  /** Its models, in place of fakes. */
  readonly lent?: ModelPool
  readonly clock?: Clock
  readonly trace?: LenderSettings['trace']
  readonly traceparent?: () => string | undefined
  readonly pulls?: OwnPulls
  /** Where others reach it, by where it listens; absent = there. */
  readonly through?: (url: string) => Promise<string>
  /** The format of leases that it says it grants. */
  readonly leaseFormat?: number
  /** How long a request here waits for a node when there is none. */
  readonly nodeWaitMs?: number
}

/** Starts a node of fake models. */
export async function startNode(settings: TestNodeSettings): Promise<TestNode> {
  const { registry, id, role = 'all', secret = clusterSecret, tls, clock = createSystemClock(), slots = 2 } = settings
  const { trace, traceparent, nodeWaitMs } = settings
  await using parts = new AsyncDisposableStack()
  const requested: string[] = []
  const fake = settings.text ?? createFakeTextModel({ clock })
  const text: TextModel = {
    ...fake,
    generate(request, options) {
      requested.push(request.input.type === 'prompt' ? request.input.prompt : (request.input.messages.at(-1)?.content ?? ''))
      return fake.generate(request, options)
    },
  }
  const fakes = () =>
    createFixedModelPool({ text: { 'fake-chat': text }, image: { 'fake-image': createFakeImageModel({ clock }) } }, { slots })
  const pool = settings.lent ?? fakes()
  const { catalog = createFakeCatalog() } = settings
  const own = role === 'api' ? null : { id, pool, catalog }
  let draining = false
  const isDraining = () => draining
  const onFault = (error: unknown) => faults.push(error)
  const faults: unknown[] = []
  const unreached: string[] = []
  const onUnreached: ClusterViewSettings['onUnreached'] = (node, cause) => unreached.push(`${node.id} ${cause}`)
  const lender =
    own === null
      ? null
      : parts.use(
          await lendSlots(
            { nodeId: id, secret, tls, pool, clock, isDraining, onFault, ...(trace && { trace }) },
            { host: '127.0.0.1', port: 0 },
          ),
        )
  const listening = lender === null ? null : `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${lender.port}`
  const url = listening === null ? null : ((await settings.through?.(listening)) ?? listening)
  const self = { id, role, url, host: `host of ${id}`, version: '0.1.0', memoryBytes: 1, leaseFormat: settings.leaseFormat ?? leaseFormat }
  const pulls = new ClusterPulls(
    self,
    own === null ? null : (settings.pulls ?? { list: () => [], start: () => false, remove: () => false }),
    clock,
  )
  const view = parts.use(
    await ClusterView.open(
      { registry, clock, self, lends: own, isDraining, tally: () => idleTally, pulls, onFault, onUnreached },
      neverAborted,
    ),
  )
  const leasingNode = { nodeId: id, secret, clock, tls, waitLimitMs: 60_000 }
  const clusterCatalog = createClusterCatalog(view, own?.catalog ?? null)
  const moved = parts.move()
  return {
    id,
    url,
    requested,
    unreached,
    faults,
    view,
    pulls,
    leasingNode,
    catalog: clusterCatalog,
    pool: createClusterPool({
      leasingNode,
      view,
      catalog: clusterCatalog,
      own,
      ...(traceparent && { traceparent }),
      ...(nodeWaitMs !== undefined && { nodeWaitMs }),
    }),
    async drain() {
      draining = true
      await view.refresh(neverAborted)
    },
    kill: async () => lender?.[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}
