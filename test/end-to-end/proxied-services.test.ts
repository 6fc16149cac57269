import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createServiceClient } from '../../src/cli/service/service-client.ts'
import { openTelemetry } from '../../src/composition/observe/open-telemetry.ts'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { findWaysOut } from '../../src/composition/ways-out.ts'
import { OpenIdProvider } from '../../src/console/sign-in/openid/openid-provider.ts'
import { openS3Outputs } from '../../src/storage/s3/open-s3-outputs.ts'
import { type ForwardProxyServer, startForwardProxy } from '../support/network/forward-proxy.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { startFaultyS3Server } from '../support/s3/faulty-s3-server.ts'
import { readStored } from '../support/stored-output.ts'

const { signal } = new AbortController()
const clock = createSystemClock()

function proxiesOf({ port }: Pick<ForwardProxyServer, 'port'>) {
  const named = { url: `http://me:secret@127.0.0.1:${port}`, name: `127.0.0.1:${port}` }
  return { proxies: { http: named, https: named, exceptions: [] } }
}

test('outputs are stored in a bucket behind a proxy, and a rejecting proxy is named', async () => {
  await using server = await startFaultyS3Server()
  await using proxy = await startForwardProxy({ 's3.example': Number(new URL(server.address.endpoint).port) })
  const address = { ...server.address, endpoint: 'http://s3.example' }
  const settings = { address, cluster: 'one', clock, ...findWaysOut(proxiesOf(proxy)) }
  const outputs = await openS3Outputs(settings, { signal })
  const content = { contentType: 'text/plain', chunks: [new TextEncoder().encode('what was drawn')] }
  const stored = await outputs.put({ inferenceId: '0f8fad5b-d9cb-469f-a165-70867728950e', attempt: 1 }, content, { signal })
  assert.equal(String(await readStored(outputs, stored)), 'what was drawn')
  assert.ok(proxy.requested.every((line) => / http:\/\/s3\.example\/b(?:[/?]|$)/.test(line)) && proxy.requested.length > 0)
  proxy.refusal = '407 Proxy Authentication Required'
  // The pause before another try is longer than all tries may take.
  const failure = await openS3Outputs({ ...settings, random: () => 1e6 }, { signal }).catch((error: unknown) => error)
  const reported = causesOf(failure)
  assert.match(reported, /The proxy 127\.0\.0\.1:\d+ requires a name and password/)
  assert.doesNotMatch(reported, /secret/)
})

test('sign-in works with a provider behind a proxy, with all its addresses requested through it', async () => {
  const server = createServer((request, response) => {
    const at = 'http://login.example'
    const known = { issuer: at, authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token`, jwks_uri: `${at}/keys` }
    response.setHeader('content-type', 'application/json')
    if (request.url === '/.well-known/openid-configuration') response.end(JSON.stringify(known))
    else response.writeHead(400).end('{"error":"invalid_grant"}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  using _closed = { [Symbol.dispose]: () => void server.close().closeAllConnections() }
  await using proxy = await startForwardProxy({ 'login.example': (server.address() as AddressInfo).port })
  const settings = {
    issuer: 'http://login.example',
    clientId: 'sepia',
    clientSecret: 'word',
    scopes: 'openid',
    label: '',
    groupsClaim: 'groups',
    rules: { createAccounts: false, emailDomains: [], roles: [] },
  }
  const { fetch } = findWaysOut(proxiesOf(proxy))
  const provider = new OpenIdProvider({ ...settings, fetch }, clock)
  const { address, secrets } = await provider.begin('http://sepia.example/back')
  assert.match(address, /^http:\/\/login\.example\/authorize\?/)
  const returned = new URL(`http://sepia.example/back?code=c&state=${secrets.state}`)
  await assert.rejects(provider.finish(returned, secrets), { fault: 'refused' })
  assert.deepEqual(proxy.requested, ['GET http://login.example/.well-known/openid-configuration', 'POST http://login.example/token'])
  proxy.refusal = 'cut'
  const failure = await new OpenIdProvider({ ...settings, fetch }, clock)
    .begin('http://sepia.example/back')
    .catch((error: unknown) => error)
  assert.equal(Object(failure).fault, 'unreachable')
})

test('traces and metrics reach a collector behind a proxy', async () => {
  await using receiver = await startOtlpReceiver()
  await using proxy = await startForwardProxy({ 'collector.example': Number(new URL(receiver.url).port) })
  const otlp = { url: 'http://collector.example', headers: {}, intervalMs: 3_600_000 }
  {
    await using telemetry = await openTelemetry({ log: { format: 'json', level: 'silent' }, otlp, ...proxiesOf(proxy) })
    telemetry.traces.enter('GET /', { kind: 'server', traceparent: undefined }).end()
  }
  assert.deepEqual(
    receiver.spans.map(({ name }) => name),
    ['GET /'],
  )
  assert.deepEqual(
    new Set(proxy.requested),
    new Set(['POST http://collector.example/v1/traces', 'POST http://collector.example/v1/metrics']),
  )
})

test('commands reach a service behind a proxy, and name a failing proxy', async () => {
  const server = createServer((_request, response) => response.end('{"status":"ok"}'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  using _closed = { [Symbol.dispose]: () => void server.close().closeAllConnections() }
  await using proxy = await startForwardProxy({ 'sepia.example': (server.address() as AddressInfo).port })
  const client = createServiceClient({ url: 'http://sepia.example', token: 't' }, findWaysOut(proxiesOf(proxy)))
  assert.deepEqual(await client.fetchJson('/healthz', { signal }), { status: 'ok' })
  proxy.refusal = '407 Proxy Authentication Required'
  await assert.rejects(
    client.fetchJson('/healthz', { signal }),
    /^Error: http:\/\/sepia\.example cannot be reached: The proxy 127\.0\.0\.1:\d+ requires a name and password/,
  )
})

function causesOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${causesOf(error.cause)}` : ''
}
