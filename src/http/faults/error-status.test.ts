import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorCodes } from '../../core/error.ts'
import { errorStatus } from './error-status.ts'

test('docs/errors.md lists every code with its status, in the order of the statuses', () => {
  const page = readFileSync('docs/errors.md', 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| [^|]+\. \| [^|]+\. \|$/gm)].map(([, code = '', status]) => [
    code,
    Number(status),
  ])
  assert.deepEqual(Object.fromEntries(rows), errorStatus)
  assert.equal(rows.length, errorCodes.length)
  const statuses = rows.map(([, status]) => Number(status))
  assert.deepEqual(
    statuses,
    statuses.toSorted((a, b) => a - b),
  )
})
