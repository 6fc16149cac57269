import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { listModels } from '../../operations/list-models.ts'
import type { HttpDependencies } from '../http-dependencies.ts'

/** GET /healthz (/health, as llama.cpp and vLLM name it) says that the process is alive, GET /readyz that it can serve. */
export function registerHealth(server: FastifyInstance, deps: HttpDependencies): void {
  for (const path of ['/healthz', '/health']) server.get(path, async () => ({ status: 'ok' }))
  server.get('/readyz', async () => {
    if (deps.isDraining())
      throw new ServiceError('shutting_down', 'The service is restarting; send requests elsewhere.', { retryAfterSeconds: 5 })
    if (await deps.isDataGone?.())
      throw new ServiceError(
        'server_is_overloaded',
        'The data folder of the service, or its contents, are missing; restore them, or start the service again.',
        { retryAfterSeconds: 30 },
      )
    const storageFault = await deps.findStorageFault?.()
    if (storageFault)
      throw new ServiceError('server_is_overloaded', `The data folder of the service ${storageFault}.`, { retryAfterSeconds: 30 })
    const servable = listModels(deps).some(({ state }) => state?.state !== 'backing-off')
    if (!servable)
      throw new ServiceError('model_loading', 'No model is available; wait, or see the log of the service.', { retryAfterSeconds: 5 })
    return { status: 'ready' }
  })
}
