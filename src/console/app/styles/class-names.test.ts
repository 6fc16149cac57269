import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

test('a class is laid out by one style sheet alone, since all of them hold everywhere', () => {
  const homes = new Map<string, Set<string>>()
  for (const sheet of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.css')))
    for (const [, name = ''] of readFileSync(join(import.meta.dirname, sheet), 'utf8').matchAll(/^\.([\w-]+) \{$/gm))
      homes.set(name, (homes.get(name) ?? new Set()).add(sheet))
  assert.deepEqual(
    [...homes].filter(([, sheets]) => sheets.size > 1).map(([name, sheets]) => `${name}: ${[...sheets].join(', ')}`),
    [],
  )
})
