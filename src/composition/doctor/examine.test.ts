import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../../config/load-config.ts'
import { describeFakeText } from '../../runtimes/fake/fake-catalog.ts'
import { examineWaysOut } from './examine.ts'

function examine(environment: Readonly<Record<string, string>>) {
  const machine = { cores: 4, memoryBytes: 4_000_000_000, terminal: false, folder: '/srv' }
  const parsed = parseConfig({ flags: {}, environment, file: null }, machine)
  assert.ok('config' in parsed, JSON.stringify(parsed))
  const upstream = {
    url: 'https://api.example/v1',
    model: 'm',
    keyFile: null,
    slots: 1,
    replicas: [{ url: 'http://127.0.0.1:9/v1', weight: 1 }],
  }
  const models = [describeFakeText(), describeFakeText({ id: 'far', format: 'openai', upstream })]
  return examineWaysOut(parsed.config, models).map(({ subject, healthy, message }) => [subject, healthy, message])
}

test('reports which connections use which proxy, without passwords', () => {
  const proxies = { HTTPS_PROXY: 'http://me:secret@proxy.example:3128', NO_PROXY: 'collector.example' }
  const others = {
    SEPIA_OIDC_ISSUER: 'https://login.example',
    SEPIA_S3_URL: 'https://key:secret@s3.example/bucket',
    SEPIA_OTLP_URL: 'https://collector.example',
  }
  assert.deepEqual(examine({ ...proxies, ...others }), [
    [
      'proxy proxy.example:3128',
      true,
      'the hub (huggingface.co), model far (api.example), sign-in (login.example), the bucket (s3.example) go through it; directly: model far (127.0.0.1:9), telemetry (collector.example)',
    ],
  ])
  assert.deepEqual(examine({ HTTP_PROXY: 'plain.example:1', HF_ENDPOINT: 'https://hub.example' }), [
    [
      'proxy plain.example:1',
      true,
      'nothing goes through it; directly: the hub (hub.example), model far (api.example), model far (127.0.0.1:9)',
    ],
  ])
})

test('reports nothing without a proxy', () => {
  assert.deepEqual(examine({ NO_PROXY: 'a.example' }), [])
})
