import { availableParallelism, freemem, loadavg } from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { ConsoleDependencies, ConsoleSettings } from '../console-dependencies.ts'
import type { ServiceHealth } from '../contract/service.ts'
import { ownerOf } from '../sign-in/signed-in.ts'

/** GET /console/api/service: how this node is doing, for owners. */
export function registerService(
  own: FastifyInstance,
  { pool }: Pick<ConsoleDependencies, 'pool'>,
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
    }
  })
}
