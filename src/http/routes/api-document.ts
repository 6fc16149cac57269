import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import { renderApiPage } from '../docs/api-page.ts'
import { referencePage, referencePolicy, referenceScript } from '../docs/reference-page.ts'
import { describeApi } from '../openapi/api-document.ts'
import { documentedRoutes } from '../openapi/documented-routes.ts'
import type { Route } from '../route.ts'
import { json, media } from './row-parts.ts'

const script = 'text/javascript; charset=utf-8'
const html = 'text/html; charset=utf-8'

/** The API document, and pages that show it. */
export const apiDocumentRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    scopes: null,
    answers: [json('OpenAPI 3.1.', Type.Object({}))],
    handle: (deps, settings) => {
      let made = { at: '', bytes: Buffer.alloc(0) }
      return async ({ reply }) => {
        const addresses = deps.addresses()
        const at = JSON.stringify(addresses)
        // Shared by all requests, which need no token: half a megabyte for each would fill the memory.
        if (made.at !== at) made = { at, bytes: Buffer.from(JSON.stringify(describeApi(deps.routes, settings, addresses))) }
        return reply.type('application/json; charset=utf-8').send(made.bytes)
      }
    },
  },
  {
    method: 'GET',
    path: '/docs/api',
    summary: 'API reference with requests to try',
    description:
      'With your token you can send requests from the page, which loads nothing from elsewhere; `/docs/api/page.js` and `/docs/api/rapidoc.js` are its scripts.',
    scopes: null,
    answers: [media('HTML.', 'text/html')],
    handle:
      (deps) =>
      async ({ reply }) =>
        reply
          .type(html)
          .header('content-security-policy', referencePolicy(deps.addresses()))
          .header('referrer-policy', 'no-referrer')
          .send(referencePage),
  },
  {
    method: 'GET',
    path: '/docs/api/plain',
    summary: 'API reference without scripts',
    scopes: null,
    answers: [media('HTML.', 'text/html')],
    handle: (deps, settings) => {
      let page: Buffer | undefined
      return async ({ reply }) => {
        // Made on the first visit and shared, because rendering takes 10 ms and visitors need no token.
        page ??= Buffer.from(renderApiPage(documentedRoutes(deps.routes, settings)))
        return reply
          .type(html)
          .header(
            'content-security-policy',
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          )
          .header('x-content-type-options', 'nosniff')
          .send(page)
      }
    },
  },
  {
    method: 'GET',
    path: '/docs/api/page.js',
    isUnlisted: true,
    summary: 'A script of the API reference',
    scopes: null,
    answers: [],
    handle: () => async (call) => call.reply.type(script).send(referenceScript),
  },
  {
    method: 'GET',
    path: '/docs/api/rapidoc.js',
    isUnlisted: true,
    summary: 'A script of the API reference',
    scopes: null,
    answers: [],
    handle:
      () =>
      async ({ incoming, reply }) => {
        const file = fileURLToPath(import.meta.resolve('rapidoc/dist/rapidoc-min.js'))
        const packed = /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? ''))
        reply.type(script).header('cache-control', 'public, max-age=86400').header('vary', 'accept-encoding')
        if (packed) reply.header('content-encoding', 'gzip')
        return reply.send(await readFile(packed ? `${file}.gz` : file))
      },
  },
]
