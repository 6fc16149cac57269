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
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { createLocalPullDesk, type ModelPulls } from '../../operations/model-pulls.ts'
import { referenceFormat } from '../../storage/work-format.ts'
import { tallyOf } from '../../telemetry/inference-events.ts'
import { clusterJoined, faultSurvived, nodeUnreached } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { traceLeases } from '../observe/observe-events.ts'
import { minSecretLength } from '../start-faults.ts'
import { explainTakenPort, nodeAddress, nodePort, readSecretFile, refuseUnreachable } from './node-address.ts'
import { type NodeCertificateFiles, watchNodeCertificate } from './watch-node-certificate.ts'

/** This node's membership in a cluster. Disposing it leaves the cluster and ends all leases. */
export interface Membership extends AsyncDisposable {
  /** Models of the whole cluster, and slots on them. */
  readonly catalog: ModelCatalog
  readonly pool: ModelPool
  /** Pulls on all nodes. */
  readonly pulls: PullDesk
  /** Nodes that reported recently; empty without a cluster. */
  nodes(): readonly ClusterNode[]
  /** Whether another node that is not leaving has a model loaded. */
  isLoadedElsewhere(modelId: string): boolean
  /** Announces that this node takes no new work, and resolves when all its leases have ended. */
  drain(): Promise<void>
}

interface JoinDependencies {
  /** Absent = no cluster. */
  readonly registry: NodeRegistry | undefined
  readonly clock: Clock
  /** The models of this machine: those for everybody, and those of an account. */
  readonly installed: ModelCatalog
  readonly nameable: ModelCatalog
  readonly pool: ModelPool
  readonly pulls: ModelPulls
  readonly isDraining: () => boolean
  readonly telemetry: Telemetry
}

/**
 * Joins the cluster, if there is one: leases slots to other nodes, unless the role is api, and leases slots from them.
 *
 * @throws {UsageError} if the secret cannot be read.
 * @throws {Error} if other nodes could not reach this one.
 */
export async function joinCluster(
  { registry, clock, pool, installed, nameable, pulls: ownPulls, isDraining, telemetry }: JoinDependencies,
  { cluster, listen, models, requests }: Pick<Config, 'cluster' | 'listen' | 'models' | 'requests'>,
  options: Abortable,
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
  // Nodes with certificates need no secret; the seals then only repeat what TLS proves.
  if (secret === null && secretFile === null) return 'nodes with certificates'
  return secret ?? readSecretFile(secretFile ?? '', { where: 'cluster-secret-file', least: minSecretLength })
}

function certificateFiles({ authorityFile, certificateFile, keyFile }: Config['cluster']): NodeCertificateFiles | undefined {
  if (authorityFile === null || certificateFile === null || keyFile === null) return undefined
  return { authority: authorityFile, certificate: certificateFile, key: keyFile }
}
