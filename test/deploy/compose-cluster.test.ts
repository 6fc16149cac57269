import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parse } from 'yaml'
import { findClusterFaults } from '../../src/composition/start-faults.ts'
import { parseConfig } from '../../src/config/load-config.ts'

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly environment: Readonly<Record<string, string>>; readonly secrets: readonly string[] }>
  >
  readonly secrets: object
}

test('the nodes of the compose file start with consistent settings', async () => {
  const compose: Compose = parse(await readFile('deploy/compose.cluster.yaml', 'utf8'), { merge: true })
  const machine = { cores: 2, memoryBytes: 1e10, terminal: false, folder: '/' }
  const roles = ['api', 'worker-1', 'worker-2'].map((name) => {
    const { SEPIA_PUBLIC_URL: _unset, ...environment } = compose.services[name]?.environment ?? {}
    const parsed = parseConfig({ flags: {}, environment, file: null }, machine)
    assert.ok('config' in parsed, JSON.stringify(parsed))
    assert.deepEqual(findClusterFaults(parsed.config), [])
    return parsed.config.cluster.role
  })
  assert.deepEqual(roles, ['api', 'worker', 'worker'])
  for (const { secrets } of Object.values(compose.services)) for (const secret of secrets) assert.ok(secret in compose.secrets, secret)
})

test('secrets beside the compose file are excluded from images and the repository', async () => {
  const compose = parse(await readFile('deploy/compose.cluster.yaml', 'utf8'), { merge: true })
  const files = Object.values<{ readonly file: string }>(compose.secrets).map(({ file }) => file)
  assert.ok(files.length > 0 && files.every((file) => file.startsWith('secrets/')), files.join())
  const listed = async (file: string) => (await readFile(file, 'utf8')).split('\n').map((line) => line.replaceAll(/^\/|\/$/g, ''))
  for (const file of ['.dockerignore', '.gitignore']) assert.ok((await listed(file)).includes('deploy/secrets'), file)
})
