import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownAddress } from './not-offered.ts'

const routes = { of: (path: string) => (path === '/v1/models' || path === '/' ? ['GET'] : []) }

test('unsupported addresses of Ollama and A1111 clients are refused with what to use instead', () => {
  for (const [url, message] of [
    [
      '/api/create?x=1',
      '`/api/create` belongs to Ollama, which this service does not offer; use the models folder, or pull models with /api/pull.',
    ],
    [
      '/sdapi/v1/interrogate?x=1',
      '`/sdapi/v1/interrogate` belongs to A1111, which this service does not offer; use /sdapi/v1/txt2img, img2img and what GET /openapi.json lists beside them.',
    ],
  ] as const)
    assert.equal(unknownAddress(url, routes).message, message)
  for (const url of ['/api/charts', '/api', '/sdapi', '/nothing'])
    assert.equal(unknownAddress(url, routes).message, 'This address does not exist; GET /openapi.json lists the routes.', url)
})

test('a base URL with /v1 twice is reported as the cause', () => {
  for (const url of ['/v1/v1/messages', '/v1/v1/chat/completions?x=1'])
    assert.equal(unknownAddress(url, routes).message, "This address has /v1 twice; remove it from your client's base URL.")
})

test('parts of the interfaces that Sepia does not offer are refused by name', () => {
  assert.match(unknownAddress('/v1/audio/speech', routes).message, /^`\/v1\/audio` is not offered by this service; /)
})

test('a double or trailing slash is reported with the correct address', () => {
  for (const url of ['/v1/models/', '/v1//models', '//v1///models//?x=1'])
    assert.match(unknownAddress(url, routes).message, /^This address does not exist; use `\/v1\/models`, /, url)
  assert.match(unknownAddress('/nothing/', routes).message, /GET \/openapi\.json lists/)
})
