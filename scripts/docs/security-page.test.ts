import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { it } from 'node:test'

it('docs/security.md and docs/account-security.md have one row for each file of test/security, and no other', async () => {
  const files = await readdir(new URL('../../test/security/', import.meta.url))
  const names = ['security.md', 'account-security.md']
  const pages = await Promise.all(names.map((name) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')))
  const rows = pages.flatMap((page) => [...page.matchAll(/^\|(?:[^|\n]*\|){3} `([\w-]+\.test\.ts)` \|$/gm)].map(([, file]) => file ?? ''))
  assert.deepEqual(rows.toSorted(), files.filter((file) => file.endsWith('.test.ts')).toSorted())
  assert.equal(new Set(rows).size, rows.length)
})
