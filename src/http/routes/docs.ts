import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { DocsSite } from '../docs/docs-site.ts'
import { docsPolicy } from '../docs/render-site.ts'

const mostQuery = 200
const pictureTypes: Readonly<Record<string, string>> = { '.webp': 'image/webp', '.png': 'image/png', '.jpg': 'image/jpeg' }

/** GET /docs and what lies below it: the documentation as pages that run nothing. */
export function registerDocs(server: FastifyInstance): void {
  let opened: Promise<DocsSite> | undefined
  // A service that nobody reads about needs no Markdown in memory.
  const site = () => {
    opened ??= import('../docs/docs-site.ts').then(({ DocsSite }) => new DocsSite())
    return opened
  }
  const send = (reply: FastifyReply, html: string) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', docsPolicy).header('referrer-policy', 'no-referrer').send(html)
  const open = async (reply: FastifyReply, name: string) => {
    const pages = await site()
    const html = pages.page(name)
    if (html !== null) return send(reply, html)
    const picture = pages.picture(name)
    if (picture === null) throw new ServiceError('not_found', 'This page does not exist; GET /docs lists all pages.')
    return reply.type(pictureTypes[extname(name)] ?? 'application/octet-stream').send(picture)
  }
  server.get('/docs', async (_, reply) => open(reply, 'readme'))
  server.get('/docs/*', async (request: FastifyRequest<{ Params: { '*': string } }>, reply) => open(reply, request.params['*']))
  server.get('/docs/search', { config: { query: ['q'] } }, async (request: FastifyRequest<{ Querystring: { q?: unknown } }>, reply) =>
    send(reply, (await site()).search(String(request.query.q ?? '').slice(0, mostQuery))),
  )
}
