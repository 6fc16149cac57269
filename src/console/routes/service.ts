import { availableParallelism, freemem, loadavg } from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { ClusterNode } from '../../core/cluster/node.ts'
import type { ModelState } from '../../core/ports/model-pool.ts'
import type { ConsoleDependencies, ConsoleSettings } from '../console-dependencies.ts'
import type { ServiceHealth, ServiceNode } from '../contract/service.ts'
import { ownerOf } from '../sign-in/signed-in.ts'

/** GET /console/api/service: how this node is doing, for owners. */
export function registerService(
  own: FastifyInstance,
  { pool, clusterNodes = () => [] }: Pick<ConsoleDependencies, 'pool' | 'clusterNodes'>,
  { version, limits }: Pick<ConsoleSettings, 'version' | 'limits'>,
): void {
  own.get('/console/api/service', async (request): Promise<ServiceHealth> => {
    ownerOf(request)
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
      limits,
      nodes: clusterNodes().map(describeNode),
    }
  })
}

function describeNode({ id, host, role, version, draining, models }: ClusterNode): ServiceNode {
  const sum = (read: (state: ModelState) => number) => models.reduce((total, state) => total + read(state), 0)
  return {
    id,
    host,
    role,
    version,
    draining,
    loaded: models.filter(({ state }) => state === 'loaded').map(({ modelId }) => modelId),
    inUse: sum(({ inUse }) => inUse),
    slots: sum(({ state, slots }) => (state === 'loaded' ? slots : 0)),
    waiting: sum(({ waiting }) => waiting),
    modelMemoryBytes: sum(({ memoryBytes }) => memoryBytes),
  }
}
