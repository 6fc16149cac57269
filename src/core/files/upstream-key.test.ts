import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUpstreamKey } from './upstream-key.ts'

const files: readonly [holds: string, text: string, key: string | null][] = [
  ['a key', 'sk-1', 'sk-1'],
  ['a line', 'sk-1\n', 'sk-1'],
  ['a line of Windows', 'sk-1\r\n', 'sk-1'],
  ['a byte-order mark', '\uFEFFsk-1\r\n', 'sk-1'],
  ['a name and a password', 'me:secret\n', 'me:secret'],
  ['a password of any letters', 'me:ein Schlüssel', 'me:ein Schlüssel'],
  ['nothing', '', null],
  ['only line breaks', '\uFEFF\r\n\n', null],
  ['two lines', 'sk-1\nsk-2\n', null],
  ['text in 16-bit units, read as UTF-8', '\uFFFD\uFFFDs\0k\0-\x001\0', null],
  ['characters that are invalid in a header', 'schlüssel', null],
]

for (const [holds, text, key] of files)
  test(`a key file that holds ${holds} ${key === null ? 'is rejected' : 'is read'}`, () => {
    const read = parseUpstreamKey(text)
    if (key !== null) assert.deepEqual(read, { key })
    else assert.ok('fault' in read && !read.fault.includes('sk-1') && !read.fault.includes('schl'))
  })
