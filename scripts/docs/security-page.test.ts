import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { it } from 'node:test'

it('docs/security.md has a row for each file of test/security, and no other', async () => {
  const files = await readdir(new URL('../../test/security/', import.meta.url))
  const page = await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\|(?:[^|\n]*\|){3} `([\w-]+\.test\.ts)` \|$/gm)].map(([, file]) => file ?? '')
  assert.deepEqual(rows.toSorted(), files.filter((file) => file.endsWith('.test.ts')).toSorted())
  assert.equal(new Set(rows).size, rows.length)
})
