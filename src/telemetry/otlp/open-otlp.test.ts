import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { MetricsRegistry } from '../metrics-registry.ts'
import { openOtlp } from './open-otlp.ts'

test('a collector that rejects data is reported', async () => {
  await using server = createServer((_request, response) => response.writeHead(401).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const faults: unknown[] = []
  const settings = { url: `http://127.0.0.1:${port}`, headers: {}, intervalMs: 3_600_000 }
  const otlp = await openOtlp({ registry: new MetricsRegistry(), onFault: (fault) => void faults.push(fault) }, settings)
  otlp.begin('GET /', { kind: 'server', parent: undefined }).end()
  await otlp[Symbol.asyncDispose]()
  assert.ok(faults.length > 0)
  assert.match(String(faults[0]), /401|Unauthorized/)
})
