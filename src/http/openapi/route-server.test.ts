import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../routes.ts'
import { publishedBodies } from '../wire/chat/sampling-fields.ts'
import { describeApi } from './api-document.ts'

const origins = {
  publicUrl: 'https://sepia.example',
  imageUrl: 'https://image.sepia.example',
  asyncUrl: 'https://async.sepia.example',
  textUrl: 'https://text.sepia.example',
}

function serversIn(addresses: typeof origins): Record<string, unknown> {
  const { servers, paths } = describeApi(routes, publishedBodies, addresses)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => [path, Object(operation).servers?.[0].url] as const),
  )
  return { document: servers[0]?.url, ...Object.fromEntries(operations) }
}

test('each route lists its own address', () => {
  const servers = serversIn(origins)
  assert.equal(servers.document, origins.publicUrl)
  for (const path of ['/generate/sdxl', '/v1/images/generations']) assert.equal(servers[path], origins.imageUrl, path)
  for (const path of ['/v1/requests', '/v1/requests/{id}', '/v1/requests/{id}/events', '/v1/responses/{id}'])
    assert.equal(servers[path], origins.asyncUrl, path)
  for (const path of ['/v1/chat/completions', '/v1/completions', '/v1/embeddings']) assert.equal(servers[path], origins.textUrl, path)
  for (const path of ['/v1/models', '/healthz', '/v1/webhooks/secrets']) assert.equal(servers[path], undefined, path)
})

test('one origin for all routes is listed once', () => {
  const { publicUrl } = origins
  const { document, ...others } = serversIn({ publicUrl, imageUrl: publicUrl, asyncUrl: publicUrl, textUrl: publicUrl })
  assert.equal(document, publicUrl)
  assert.deepEqual([...new Set(Object.values(others))], [undefined])
})
