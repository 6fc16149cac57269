import { availableParallelism, freemem, hostname, loadavg } from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { ClusterNode } from '../../core/cluster/node.ts'
import type { ModelState } from '../../core/ports/model-pool.ts'
import { clientSignal } from '../../http/client-signal.ts'
import type { ConsoleDependencies, ConsoleSettings } from '../console-dependencies.ts'
import type { ServiceHealth, ServiceNode } from '../contract/service.ts'
import { ownerOf } from '../sign-in/signed-in.ts'

type ReportedNode = Omit<ClusterNode, 'url' | 'memoryBytes' | 'offer' | 'hasOffer'>

/** GET /console/api/service: the state of this node and all others, for owners. */
export function registerService(
  own: FastifyInstance,
  { pool, log, clock, tally, clusterNodes = () => [] }: Pick<ConsoleDependencies, 'pool' | 'log' | 'clock' | 'tally' | 'clusterNodes'>,
  { version, limits }: Pick<ConsoleSettings, 'version' | 'limits'>,
): void {
  /** The only node when there is no cluster. */
  const alone = (): ReportedNode => ({
    ...{ id: 'this', host: hostname(), role: 'all', version, draining: false },
    ...{ seenAt: clock.now(), models: pool.states(), tally: tally() },
  })
  own.get('/console/api/service', async (request, reply): Promise<ServiceHealth> => {
    ownerOf(request)
    const nodes: readonly ReportedNode[] = clusterNodes()
    const reported = nodes.length === 0 ? [alone()] : nodes
    const pending = await log.oldestPending({ signal: clientSignal(reply) })
    const waiting = reported.flatMap(({ models }) => models.flatMap(({ waitingSince }) => waitingSince ?? []))
    const since = [...waiting, ...(pending === null ? [] : [pending])]
    return {
      version,
      nodeVersion: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      uptimeMs: process.uptime() * 1000,
      memoryBytes: process.memoryUsage.rss(),
      modelMemoryBytes: pool.states().reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
      freeMemoryBytes: freemem(),
      load: loadavg()[0] ?? 0,
      cores: availableParallelism(),
      queuedMs: since.length === 0 ? null : Math.max(0, clock.now() - Math.min(...since)),
      limits,
      nodes: reported.map(describeNode),
    }
  })
}

function describeNode({ id, host, role, version, draining, seenAt, models, tally }: ReportedNode): ServiceNode {
  const sum = (read: (state: ModelState) => number) => models.reduce((total, state) => total + read(state), 0)
  return {
    ...{ id, host, role, version, draining, seenAt, tally: tally ?? null },
    loaded: models.filter(({ state }) => state === 'loaded').map(({ modelId }) => modelId),
    inUse: sum(({ inUse }) => inUse),
    slots: sum(({ state, slots }) => (state === 'loaded' ? slots : 0)),
    waiting: sum(({ waiting }) => waiting),
    modelMemoryBytes: sum(({ memoryBytes }) => memoryBytes),
  }
}
