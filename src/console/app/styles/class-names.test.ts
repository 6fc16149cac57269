import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

test('every class is defined in only one style sheet, since all style sheets are global', () => {
  const homes = new Map<string, Set<string>>()
  for (const sheet of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.css')))
    for (const [, name = ''] of readFileSync(join(import.meta.dirname, sheet), 'utf8').matchAll(/^\.([\w-]+) \{$/gm))
      homes.set(name, (homes.get(name) ?? new Set()).add(sheet))
  assert.deepEqual(
    [...homes].filter(([, sheets]) => sheets.size > 1).map(([name, sheets]) => `${name}: ${[...sheets].join(', ')}`),
    [],
  )
})
