import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

const records = globSync('docs/decisions/[0-9]*.md').toSorted()

test('every decision has the same layout, and the index lists it once by its title', () => {
  assert.ok(records.length > 60)
  const index = readFileSync('docs/decisions/README.md', 'utf8')
  for (const path of records) {
    const text = readFileSync(path, 'utf8')
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, words]) => words)
    const wanted = ['Context', 'Decision', 'Consequences', 'Revisit when']
    assert.deepEqual(headings, wanted, path)
    const [, title] = /^# (.+)$/m.exec(text) ?? []
    assert.equal(index.split(`- [${title}](${basename(path)})\n`).length, 2, path)
  }
})
