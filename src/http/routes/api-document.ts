import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { describeApi } from '../openapi/api-document.ts'
import { renderApiPage } from '../openapi/api-page.ts'
import { documentedRoutes } from '../openapi/documented-routes.ts'

/** GET /openapi.json, and GET /docs/api/plain, which shows it. */
export function registerApiDocument(server: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  server.get('/openapi.json', async () => describeApi(settings, deps.addresses()))
  server.get('/docs/api/plain', async (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .header('x-content-type-options', 'nosniff')
      .send(renderApiPage(documentedRoutes(settings))),
  )
}
