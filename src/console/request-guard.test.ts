import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireOwnHost, requireSameOrigin } from './request-guard.ts'

const publicUrl = 'https://sepia.example'
const hosts = { addresses: () => ({ publicUrl }), allowedHosts: ['ink.lan'] }

for (const host of [
  'localhost:8080',
  'console.localhost',
  '127.0.0.1:8080',
  '[::1]:8080',
  '192.168.1.4',
  'sepia.example',
  'ink.lan:8080',
]) {
  test(`accepts ${host} as a host name of the service`, () => requireOwnHost({ host }, hosts))
}

for (const host of [
  'evil.example',
  'sepia.example.evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '',
  'a b',
  undefined,
]) {
  test(`rejects ${host} as a foreign host name`, () => {
    assert.throws(() => requireOwnHost({ host }, hosts), { code: 'invalid_request_error' })
  })
}

const own = { host: 'sepia.example' }
const passes: readonly (readonly [string, string, Record<string, string>])[] = [
  ['our page posts', 'POST', { 'sec-fetch-site': 'same-origin', origin: publicUrl }],
  ['our page posts over plain HTTP, where browsers send no Sec-Fetch-Site', 'POST', { origin: 'http://192.168.1.4', host: '192.168.1.4' }],
  ['our page reads', 'GET', { 'sec-fetch-site': 'same-origin' }],
  ['a user opens a link', 'GET', { 'sec-fetch-site': 'none' }],
  ['our page reads over plain HTTP', 'GET', {}],
]
for (const [name, method, headers] of passes) {
  test(`allowed: ${name}`, () => requireSameOrigin({ method, headers: { ...own, ...headers } }, publicUrl))
}

const refusals: readonly (readonly [string, string, Record<string, string>])[] = [
  ['another site posts', 'POST', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a sibling subdomain posts', 'POST', { 'sec-fetch-site': 'same-site', origin: 'https://blog.sepia.example' }],
  ['another site posts from an old browser', 'POST', { origin: 'https://evil.example' }],
  ['a sandboxed frame posts', 'POST', { origin: 'null' }],
  ['a program posts without an origin', 'POST', {}],
  ['a user navigation that posts', 'POST', { 'sec-fetch-site': 'none' }],
  ['another site reads', 'GET', { 'sec-fetch-site': 'cross-site' }],
]
for (const [name, method, headers] of refusals) {
  test(`rejected: ${name}`, () => {
    assert.throws(() => requireSameOrigin({ method, headers: { ...own, ...headers } }, publicUrl), { code: 'insufficient_scope' })
  })
}
