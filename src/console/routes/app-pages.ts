import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { AppFile, AppSource } from '../bundle/app-files.ts'

const forever = 'public, max-age=31536000, immutable'
const building = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Sepia</title>
<p>The console is being built; this page reloads by itself.</p></html>`

/** GET / and /console/*: the browser code. Addresses without a file are pages of the app, except those of its JSON routes. */
export function registerAppPages(
  pages: FastifyInstance,
  source: Pick<AppSource, 'files'>,
  { addresses }: { readonly addresses: () => { readonly publicUrl: string } },
): void {
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const files = await source.files()
    const index = files?.get('index.html')
    if (index === undefined) return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(building)
    // Below a path, addresses in the file are rewritten when it is sent.
    const isBelow = new URL(addresses().publicUrl).pathname !== '/'
    return sendFile(request, reply, isBelow ? { ...index, brotli: null, gzip: null } : index, 'no-cache')
  }
  pages.get('/', page)
  pages.get('/console', page)
  pages.get('/console/*', page)
  const nothing = async () => {
    throw new ServiceError('not_found', 'There is nothing at this address; reload the page to get the console of this version.')
  }
  pages.get('/console/api', nothing)
  pages.get('/console/api/*', nothing)
  pages.get<{ Params: { '*': string } }>('/console/assets/*', async (request, reply) => {
    const files = await source.files()
    const file = files?.get(`assets/${request.params['*']}`)
    if (file === undefined) throw new ServiceError('not_found', 'Reload the page; this file belongs to another version of the console.')
    return sendFile(request, reply, file, forever)
  })
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: AppFile, cacheControl: string): FastifyReply {
  reply.header('cache-control', cacheControl).header('etag', file.etag).header('vary', 'accept-encoding').type(file.contentType)
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  const accepted = String(request.headers['accept-encoding'] ?? '')
  if (file.brotli !== null && /\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli)
  if (file.gzip !== null && /\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip)
  return reply.send(file.plain)
}
