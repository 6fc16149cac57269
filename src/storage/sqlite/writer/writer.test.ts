import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFailure } from './writer.ts'

for (const [what, sqliteCode, expected] of [
  ['a full disk', 13, { code: 'server_is_overloaded', message: /disk of the service is full/ }],
  ['a disk that fails or turned read-only', 778, { code: 'server_is_overloaded', message: /data folder of the service cannot be written/ }],
  ['a database that became read-only', 1032, { code: 'server_is_overloaded', message: /data folder of the service cannot be written/ }],
  ['a file that cannot be opened', 14, { code: 'server_is_overloaded', message: /data folder of the service cannot be written/ }],
  ['a damaged database', 267, { code: 'server_is_overloaded', message: /database of the service is damaged/ }],
  ['a mistake of ours', null, { message: 'what SQLite says' }],
] as const)
  test(`a write that failed for ${what} is reported as that`, () => {
    assert.throws(() => {
      throw readFailure({ number: 0, failure: 'what SQLite says', sqliteCode })
    }, expected)
  })
