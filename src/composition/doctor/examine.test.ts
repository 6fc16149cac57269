import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { parseConfig } from '../../config/load-config.ts'
import { keepFile, storeBytes } from '../../operations/files/kept-files.ts'
import { describeFakeText } from '../../runtimes/fake/fake-catalog.ts'
import { takeOwnerLock } from '../../storage/sqlite/owner-lock.ts'
import { ensureFirstAccount } from '../first-start.ts'
import { openStore, openWritableOutputs } from '../open-store.ts'
import { createSystemClock } from '../system-clock.ts'
import { examineData, examineWaysOut } from './examine.ts'

function configWith(environment: Readonly<Record<string, string>>) {
  const machine = { cores: 4, memoryBytes: 4_000_000_000, terminal: false, folder: '/srv' }
  const parsed = parseConfig({ flags: {}, environment, file: null }, machine)
  assert.ok('config' in parsed, JSON.stringify(parsed))
  return parsed.config
}

function examineWays(environment: Readonly<Record<string, string>>) {
  const upstream = {
    url: 'https://api.example/v1',
    model: 'm',
    keyFile: null,
    slots: 1,
    replicas: [{ url: 'http://127.0.0.1:9/v1', weight: 1 }],
  }
  const models = [describeFakeText(), describeFakeText({ id: 'far', format: 'openai', upstream })]
  return examineWaysOut(configWith(environment), models).map(({ subject, healthy, message }) => [subject, healthy, message])
}

test('reports which connections use which proxy, without passwords', () => {
  const proxies = { HTTPS_PROXY: 'http://me:secret@proxy.example:3128', NO_PROXY: 'collector.example' }
  const others = {
    SEPIA_OIDC_ISSUER: 'https://login.example',
    SEPIA_S3_URL: 'https://key:secret@s3.example/bucket',
    SEPIA_OTLP_URL: 'https://collector.example',
  }
  assert.deepEqual(examineWays({ ...proxies, ...others }), [
    [
      'proxy proxy.example:3128',
      true,
      'the hub (huggingface.co), model far (api.example), sign-in (login.example), the bucket (s3.example) go through it; directly: model far (127.0.0.1:9), telemetry (collector.example)',
    ],
  ])
  assert.deepEqual(examineWays({ HTTP_PROXY: 'plain.example:1', HF_ENDPOINT: 'https://hub.example' }), [
    [
      'proxy plain.example:1',
      true,
      'nothing goes through it; directly: the hub (hub.example), model far (api.example), model far (127.0.0.1:9)',
    ],
  ])
})

test('reports nothing without a proxy', () => {
  assert.deepEqual(examineWays({ NO_PROXY: 'a.example' }), [])
})

test('stored outputs are read while a service runs', async () => {
  await using folder = await createTemporaryFolder()
  const config = configWith({ SEPIA_DATA: folder.path })
  const options = { signal: new AbortController().signal }
  {
    await using store = await openStore(config, { clock: createSystemClock(), mode: 'service' })
    const outputs = await openWritableOutputs(config, { ...store, ...options })
    const { account } = await ensureFirstAccount(store, options)
    const deps = { ...store, outputs, maxDocumentBytes: 1e6 }
    const stored = await storeBytes(deps, { accountId: account.id, content: new Blob(['a']).stream() }, options)
    await keepFile(deps, stored, { name: 'a.jsonl', purpose: 'batch', lifetimeMs: null }, options)
  }
  using _owned = await takeOwnerLock(folder.path)
  const findings = await examineData(config, { ...options, onProgress: () => {} })
  assert.equal(findings.find(({ subject }) => subject === 'outputs')?.message, 'all 0 are whole, and 1 uploaded and kept files')
})
