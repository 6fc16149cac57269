import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTextFile } from './read-text-file.ts'

const word = 'Größe: 3 €'
const read = (bytes: Buffer, name = 'a.txt') => readTextFile(new File([new Uint8Array(bytes)], name))

for (const [name, bytes] of Object.entries({
  'UTF-8': Buffer.from(word),
  'UTF-8 with a byte order mark': Buffer.from(`\ufeff${word}`),
  'UTF-16 LE': Buffer.from(`\ufeff${word}`, 'utf16le'),
  'UTF-16 BE': Buffer.from(`\ufeff${word}`, 'utf16le').swap16(),
  'Windows-1252': Buffer.from([...Buffer.from('Größe: 3 ', 'latin1'), 0x80]),
}))
  test(`a file in ${name} is decoded correctly`, async () => {
    assert.deepEqual(await read(bytes), { name: 'a.txt', text: word })
  })

const noText = 'a.txt isn’t a text file, PDF, Word document (.docx) or image.'
for (const [name, bytes, fault] of [
  ['nothing', Buffer.alloc(0), 'a.txt is empty; attach another file.'],
  ['only the byte order mark of UTF-16', Buffer.from([0xff, 0xfe]), 'a.txt is empty; attach another file.'],
  ['zeros', Buffer.from([0x41, 0, 0x42]), noText],
  ['the beginning of a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x10, 0x4a]), noText],
  ['half a UTF-16 character', Buffer.from([0xff, 0xfe, 0x41]), noText],
  ['another archive', Buffer.from('PK\x03\x04\x14\0'), noText],
] as const)
  test(`a file that holds ${name} is rejected by name`, async () => {
    assert.deepEqual(await read(bytes), { fault })
  })

test('a damaged Word document is called one', async () => {
  assert.deepEqual(await read(Buffer.from('PK\x03\x04\x14\0'), 'a.docx'), {
    fault: 'a.docx is damaged, or not a Word document; save it again as .docx.',
  })
})

test('a PDF is not called another file when its reader cannot be loaded', async () => {
  assert.deepEqual(await read(Buffer.from('%PDF-1.4')), { fault: 'The console failed. Reload the page and try again.' })
})
