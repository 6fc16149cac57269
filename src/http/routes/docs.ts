import { extname } from 'node:path'
import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { DocsSite } from '../docs/docs-site.ts'
import { docsPolicy } from '../docs/render-site.ts'
import type { Call, Route } from '../route.ts'
import { inQuery } from './row-parts.ts'

const maxQuery = 200
const pictureTypes: Readonly<Record<string, string>> = { '.webp': 'image/webp', '.png': 'image/png', '.jpg': 'image/jpeg' }

/** The documentation as pages without scripts. */
export const docsRoutes: readonly Route[] = [
  { ...page('/docs', 'The documentation', (reply) => openPage(reply, 'readme')), alsoAt: ['/docs/'] },
  page('/docs/{+name}', 'A page of the documentation, or an image in one', (reply, { param }) =>
    openPage(reply, param('name').replace(/\/$/, '')),
  ),
  {
    ...page('/docs/search', 'Pages of the documentation that contain these words', async (reply, { query }) =>
      sendPage(reply, (await site()).search(String(query.q ?? '').slice(0, maxQuery))),
    ),
    parameters: [inQuery('q', 'The words.')],
  },
]

function page(path: string, summary: string, open: (reply: FastifyReply, call: Call) => Promise<FastifyReply>): Route {
  return {
    method: 'GET',
    path,
    isUnlisted: true,
    summary,
    scopes: null,
    answers: [],
    handle: () => (call) => open(call.reply, call),
  }
}

let opened: Promise<DocsSite> | undefined

/** Loaded on the first visit: the Markdown renderer takes memory. */
function site(): Promise<DocsSite> {
  opened ??= import('../docs/docs-site.ts').then(({ DocsSite }) => new DocsSite())
  return opened
}

function sendPage(reply: FastifyReply, markup: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', docsPolicy)
    .header('referrer-policy', 'no-referrer')
    .send(markup)
}

async function openPage(reply: FastifyReply, name: string): Promise<FastifyReply> {
  const pages = await site()
  const markup = pages.page(name)
  if (markup !== null) return sendPage(reply, markup)
  const picture = pages.picture(name)
  if (picture === null) throw new ServiceError('not_found', 'This page does not exist; GET /docs lists all pages.')
  return reply.type(pictureTypes[extname(name)] ?? 'application/octet-stream').send(picture)
}
