import { createSecretKey, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import packageFile from '../../../package.json' with { type: 'json' }
import { createClusterCatalog } from '../../cluster/cluster-catalog.ts'
import { createClusterPool } from '../../cluster/cluster-pool.ts'
import { ClusterPulls } from '../../cluster/cluster-pulls.ts'
import { ClusterView, type ClusterViewSettings } from '../../cluster/cluster-view.ts'
import { leaseFormat } from '../../cluster/lease-wire.ts'
import { lendSlots } from '../../cluster/lend-slots.ts'
import type { Config } from '../../config/settings.ts'
import type { ClusterNode } from '../../core/cluster/node.ts'
import type { PullDesk } from '../../core/model-pull.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { ModelCatalog } from '../../core/ports/model-catalog.ts'
import type { ModelPool } from '../../core/ports/model-pool.ts'
import type { NodeRegistry } from '../../core/ports/node-registry.ts'
import { neverAborted } from '../../core/waiting.ts'
import { createLocalPullDesk, type ModelPulls } from '../../operations/model-pulls.ts'
import { referenceFormat } from '../../storage/work-format.ts'
import { tallyOf } from '../../telemetry/inference-events.ts'
import { clusterJoined, faultSurvived, nodeUnreached } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { traceLeases } from '../observe/observe-events.ts'
import { leastSecretLength } from '../start-faults.ts'
import { explainTakenPort, nodeAddress, nodePort, readSecretFile, refuseUnreachable } from './node-address.ts'
import { type NodeCertificateFiles, watchNodeCertificate } from './watch-node-certificate.ts'

/** What a node has of the others. Disposing it leaves the cluster and cuts what it lent. */
export interface Membership extends AsyncDisposable {
  /** Models of the whole cluster, and slots on them. */
  readonly catalog: ModelCatalog
  readonly pool: ModelPool
  /** Models on their way to any node. */
  readonly pulls: PullDesk
  /** Every node that was heard of lately; none where this one is alone. */
  nodes(): readonly ClusterNode[]
  /** Whether another node, which stays, has a model in memory. */
  isLoadedElsewhere(modelId: string): boolean
  /** Tells the others that this node takes nothing new, and resolves when nothing that it lent is in use. */
  drain(): Promise<void>
}

interface JoinDependencies {
  /** Absent = this node is alone. */
  readonly registry: NodeRegistry | undefined
  readonly clock: Clock
  /** The models of this machine: what everybody may name, and what somebody may. */
  readonly installed: ModelCatalog
  readonly nameable: ModelCatalog
  readonly pool: ModelPool
  readonly pulls: ModelPulls
  readonly isDraining: () => boolean
  readonly telemetry: Telemetry
}

/**
 * Makes this node one of the cluster, where there is one: it lends its slots, unless its role is api, and leases slots of the other nodes.
 *
 * @throws {UsageError} when the secret cannot be read.
 * @throws {Error} when others could not reach it.
 */
export async function joinCluster(
  { registry, clock, pool, installed, nameable, pulls: ownPulls, isDraining, telemetry }: JoinDependencies,
  { cluster, listen, models, requests }: Pick<Config, 'cluster' | 'listen' | 'models' | 'requests'>,
  options: { readonly signal: AbortSignal },
): Promise<Membership> {
  if (registry === undefined)
    return {
      catalog: installed,
      pool,
      pulls: createLocalPullDesk(ownPulls),
      nodes: () => [],
      isLoadedElsewhere: () => false,
      drain: async () => {},
      [Symbol.asyncDispose]: async () => {},
    }
  await using parts = new AsyncDisposableStack()
  const [id, host] = [randomUUID(), hostname()]
  const onFault = (error: unknown) => faultSurvived(telemetry, { where: 'cluster' }, error)
  const onUnreached: ClusterViewSettings['onUnreached'] = (node, cause) =>
    nodeUnreached(telemetry, { nodeId: node.id, host: node.host, url: node.url }, cause)
  const files = certificateFiles(cluster)
  const certificate = files && parts.use(await watchNodeCertificate(files, { clock, onFault }))
  const tls = certificate?.tls
  const secret = createSecretKey(await readSecret(cluster), 'utf8')
  const computes = cluster.role !== 'api'
  const lends = computes ? { pool, catalog: installed } : null
  const lender =
    lends === null
      ? null
      : parts.use(
          await lendSlots(
            { nodeId: id, secret, tls, pool, clock, isDraining, onFault, trace: traceLeases(telemetry) },
            { host: listen.host, port: nodePort(cluster.nodeUrl) },
          ).catch((error: unknown) => {
            throw explainTakenPort(error, cluster.nodeUrl)
          }),
        )
  const url = lender === null ? null : nodeAddress(cluster.nodeUrl, { host: listen.host, port: lender.port, secure: tls !== undefined })
  const { memoryBytes } = models
  const self = { id, role: cluster.role, url, host, version: packageFile.version, memoryBytes, workFormat: referenceFormat, leaseFormat }
  const pulls = new ClusterPulls(self, computes ? ownPulls : null, clock)
  const view = parts.use(
    await ClusterView.open(
      { registry, clock, self, lends, isDraining, tally: () => tallyOf(telemetry), pulls, onFault, onUnreached },
      options,
    ),
  )
  if (url !== null) refuseUnreachable(url, self, view.nodes())
  clusterJoined(telemetry, { nodeId: id, role: cluster.role, url, nodes: view.nodes().length })
  const own = computes ? { id, pool, catalog: nameable } : null
  const leasingNode = { nodeId: id, secret, clock, tls, waitLimitMs: requests.waitLimitMs }
  const owned = parts.move()
  return {
    catalog: createClusterCatalog(view, lends?.catalog ?? null),
    pool: createClusterPool({
      leasingNode,
      view,
      catalog: createClusterCatalog(view, own?.catalog ?? null),
      own,
      traceparent: () => telemetry.traces.traceparent(),
    }),
    pulls,
    nodes: () => view.nodes(),
    isLoadedElsewhere: (modelId) =>
      view
        .nodes()
        .some(
          (node) => node.id !== id && !node.draining && node.models.some((each) => each.modelId === modelId && each.state === 'loaded'),
        ),
    async drain() {
      await view.refresh(neverAborted).catch(onFault)
      await lender?.idle()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function readSecret({ secret, secretFile }: Config['cluster']): Promise<string> {
  // Nodes with certificates need no secret: the seals then only repeat what TLS proves.
  if (secret === null && secretFile === null) return 'nodes with certificates'
  return secret ?? readSecretFile(secretFile ?? '', { where: 'cluster-secret-file', least: leastSecretLength })
}

function certificateFiles({ authorityFile, certificateFile, keyFile }: Config['cluster']): NodeCertificateFiles | undefined {
  if (authorityFile === null || certificateFile === null || keyFile === null) return undefined
  return { authority: authorityFile, certificate: certificateFile, key: keyFile }
}
