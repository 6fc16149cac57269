import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from '../http-dependencies.ts'
import { referencePage, referencePolicy, referenceScript } from '../openapi/reference-page.ts'

const script = 'text/javascript; charset=utf-8'

/** GET /docs/api: the API document to read and to try, with a reader that nothing else loads. */
export function registerApiReference(server: FastifyInstance, deps: HttpDependencies): void {
  server.get('/docs/api', async (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', referencePolicy(deps.addresses()))
      .header('referrer-policy', 'no-referrer')
      .send(referencePage),
  )
  server.get('/docs/api/page.js', async (_, reply) => reply.type(script).send(referenceScript))
  server.get('/docs/api/rapidoc.js', async ({ headers }, reply) => {
    const file = fileURLToPath(import.meta.resolve('rapidoc/dist/rapidoc-min.js'))
    const packed = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
    reply.type(script).header('cache-control', 'public, max-age=86400').header('vary', 'accept-encoding')
    if (packed) reply.header('content-encoding', 'gzip')
    return reply.send(await readFile(packed ? `${file}.gz` : file))
  })
}
