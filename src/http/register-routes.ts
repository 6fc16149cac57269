import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from './http-dependencies.ts'
import type { HttpSettings } from './http-settings.ts'
import { registerChatCompletion } from './routes/create-chat-completion.ts'
import { registerGenerateImage } from './routes/generate-image.ts'
import { registerHealth } from './routes/health.ts'
import { registerModels } from './routes/list-models.ts'
import { registerMetrics } from './routes/metrics.ts'

/** The routes that need no access token: health checks and the API document. */
export async function registerPublicRoutes(server: FastifyInstance, deps: HttpDependencies, _settings: HttpSettings): Promise<void> {
  registerHealth(server, deps)
}

/** The routes that need an access token. */
export async function registerTokenRoutes(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): Promise<void> {
  registerChatCompletion(api, deps, settings)
  registerGenerateImage(api, deps, settings)
  registerModels(api, deps)
  registerMetrics(api, deps)
}
