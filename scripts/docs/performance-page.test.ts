import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { performancePage, performancePagePath } from './performance-page.ts'

it('docs/performance.md matches bench/results, and every bench that it names exists', () => {
  const page = readFileSync(performancePagePath, 'utf8')
  assert.equal(page, performancePage())
  const benches = [...page.matchAll(/ `([a-z-]+\/[a-z-]+)` \|$/gm)].map(([, name]) => name)
  assert.ok(benches.length >= 20)
  assert.deepEqual(
    benches.filter((name) => !existsSync(`bench/${name}.ts`)),
    [],
  )
})
