import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

/** What the compiler says of a dashboard, read as one of Grafana's own type; nothing where it is one. */
async function check(dashboard: string): Promise<string> {
  await using folder = await createTemporaryFolder()
  await mkdir(join(folder.path, 'node_modules/@grafana'), { recursive: true })
  await symlink(join(process.cwd(), 'test/node_modules/@grafana/schema'), join(folder.path, 'node_modules/@grafana/schema'))
  const source = `import type { Dashboard } from '@grafana/schema'\nexport const dashboard: Dashboard = ${dashboard}`
  await writeFile(join(folder.path, 'dashboard.ts'), source)
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024', '--preserveSymlinks']
  return spawnSync(join(process.cwd(), 'node_modules/.bin/tsc'), [...flags, 'dashboard.ts'], { cwd: folder.path, encoding: 'utf8' }).stdout
}

test("the dashboard matches Grafana's schema", async () => {
  assert.equal(await check(await readFile('deploy/grafana/sepia.json', 'utf8')), '')
})

for (const [fault, from, to] of [
  ['a field that no dashboard has', '"panels":', '"pannels":'],
  ['a position that is not a number', '"x": 8', '"x": "8"'],
] as const)
  test(`${fault} is detected`, async () => {
    const dashboard = await readFile('deploy/grafana/sepia.json', 'utf8')
    assert.match(await check(dashboard.replace(from, to)), /error TS/)
  })
