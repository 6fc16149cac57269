import assert from 'node:assert/strict'
import { test } from 'node:test'
import { becomeOwner } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { useConsole } from './support/use-console.ts'

const { skip, visit } = useConsole(becomeOwner)

test('pages use the typefaces that the service serves', { skip }, async () => {
  const { page } = visit()
  const loaded = `[...document.fonts].filter(({ status }) => status === 'loaded')
    .map(({ family, style }) => family.replaceAll('"', '') + ' ' + style)`
  const wanted = ['Source Sans 3 Variable normal', 'Source Serif 4 Variable italic', 'Source Serif 4 Variable normal']
  await eventually(async () => assert.deepEqual([...new Set(await page.evaluate<readonly string[]>(loaded))].sort(), wanted))
})
