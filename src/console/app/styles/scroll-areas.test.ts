import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// A scroll area clips an absolutely positioned element, such as hidden text, only when it is positioned itself. Otherwise hidden text
// below its edge makes the page longer than its content.
test('every scroll area is positioned', () => {
  const unpositioned = []
  for (const sheet of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.css')))
    for (const [, selector = '', body = ''] of readFileSync(join(import.meta.dirname, sheet), 'utf8').matchAll(/([^{}]+)\{([^{}]*)\}/g))
      if (/\boverflow(-[xy])?: auto;/.test(body) && !/\bposition: (relative|sticky|fixed|absolute);/.test(body))
        unpositioned.push(`${sheet}: ${selector.trim()}`)
  assert.deepEqual(unpositioned, [])
})
