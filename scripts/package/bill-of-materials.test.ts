import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

test('the bill of materials names every package that the service needs, and none that only tests need', () => {
  const { components }: { components: readonly { name: string }[] } = JSON.parse(
    execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const names = components.map(({ name }) => name)
  const manifest: { dependencies: Record<string, string>; devDependencies: Record<string, string> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  for (const name of Object.keys(manifest.dependencies)) assert.ok(names.includes(name), name)
  assert.ok(!names.includes('playwright-core'))
})
