import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { readWord } from './word-text.ts'

interface Entry {
  readonly name: string
  readonly data: Buffer
  readonly method?: number
}

/** An archive like those of Word. */
function zip(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const files: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const { name, data, method = 8 } of entries) {
    const packed = method === 8 ? deflateRawSync(data) : data
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    files.push(local, Buffer.from(name), packed)
    list.push(entry, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt32LE(at, 16)
  return new Uint8Array(Buffer.concat([...files, ...list, end]))
}

const word = (body: string) => [
  { name: '[Content_Types].xml', data: Buffer.from('<Types/>') },
  { name: 'word/document.xml', data: Buffer.from(`<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`) },
]
const paragraph = (text: string) =>
  `<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

for (const [what, body, expected] of [
  ['paragraphs', paragraph('Größe &amp; Gewicht') + paragraph('3 &#x20AC; &lt; 4&#160;€'), 'Größe & Gewicht\n3 € < 4\u00a0€'],
  ['breaks and tabs', '<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br w:type="page"/><w:t>c</w:t></w:r></w:p>', 'a\tb\nc'],
  [
    'tables',
    `<w:tbl>${[
      ['a', 'b'],
      ['c', 'd'],
    ]
      .map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`)
      .join('')}</w:tbl>`,
    'a\tb\nc\td',
  ],
  ['deleted text', '<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:t>new</w:t></w:r></w:p>', 'new'],
  [
    'a text box and its fallback',
    `<w:p><mc:AlternateContent><mc:Choice Requires="wps">${paragraph('once')}</mc:Choice><mc:Fallback>${paragraph('once')}</mc:Fallback></mc:AlternateContent></w:p>`,
    'once',
  ],
  ['no text', '<w:p/>', ''],
  ['an unknown entity', paragraph('&constructor;'), '&constructor;'],
] as const)
  test(`reads a Word document: ${what}`, async () => {
    assert.deepEqual(await readWord(zip(word(body))), { text: expected })
  })

test('an uncompressed entry is read', async () => {
  assert.deepEqual(await readWord(zip(word(paragraph('plain')).map((entry) => ({ ...entry, method: 0 })))), { text: 'plain' })
})

test('a document with a number in the name of its text, as Word in the browser writes it, is read', async () => {
  const numbered = word(paragraph('found')).map((entry) => ({ ...entry, name: entry.name.replace('document', 'document2') }))
  assert.deepEqual(await readWord(zip(numbered)), { text: 'found' })
})

for (const [what, bytes] of Object.entries({
  'another archive': zip([{ name: 'xl/workbook.xml', data: Buffer.from('<x/>') }]),
  'half a document': zip(word(paragraph('gone'))).slice(0, 120),
  'an entry with wrong compression': zip(word(paragraph('gone'))).map((byte, index) => (index > 90 && index < 120 ? 0xff : byte)),
  nothing: new Uint8Array(),
}))
  test(`rejects ${what} as a Word document`, async () => {
    assert.deepEqual(await readWord(bytes), { hindrance: 'unknown' })
  })

test('a document of 100 000 cells is read within the time limit', async () => {
  const cell = `<w:tc>${paragraph('a cell')}</w:tc>`
  const reading = await readWord(zip(word(`<w:tbl><w:tr>${cell.repeat(100_000)}</w:tr></w:tbl>`)))
  assert.equal('text' in reading && reading.text.length, 700_000 - 1)
})

test('a document of two million open tags is read in time', async () => {
  assert.deepEqual(await readWord(zip(word('<w:t '.repeat(2_000_000)))), { text: '' })
})

test('a Word document is read in browsers that do not iterate over streams', async () => {
  const { prototype } = ReadableStream
  const iterate = Reflect.get(prototype, Symbol.asyncIterator)
  Reflect.deleteProperty(prototype, Symbol.asyncIterator)
  try {
    assert.deepEqual(await readWord(zip(word(paragraph('read')))), { text: 'read' })
  } finally {
    Object.defineProperty(prototype, Symbol.asyncIterator, { value: iterate, configurable: true, writable: true })
  }
})

test('a document that unpacks to more than 50 MB is not read, and called too large', async () => {
  assert.deepEqual(await readWord(zip(word(paragraph('a'.repeat(50_000_000))))), { hindrance: 'large' })
})
