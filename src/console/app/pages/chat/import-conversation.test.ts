import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readExport } from './import-conversation.ts'

const message = { role: 'user', content: 'What is this?' }
const address = (characters: number) => `data:image/png;base64,${'A'.repeat(characters)}`

test('an export comes back with its pictures, as large as messages carry them', () => {
  const pictures = [{ name: 'large.png', url: address(3_000_000) }]
  const read = readExport(JSON.stringify({ title: 'Pictures', turns: [{ ...message, pictures }] }), 7)
  assert.equal(read?.title, 'Pictures')
  assert.deepEqual(read.turns[0]?.pictures, pictures)
})

test('what no message carries is left out of an export', () => {
  const urls = [address(4_000_000), 'https://pictures.example/a.png', 'data:text/html;base64,AAAA', 'javascript:0', address(4)]
  const read = readExport(JSON.stringify({ turns: [{ ...message, pictures: urls.map((url) => ({ name: 'a', url })) }] }), 7)
  assert.deepEqual(read?.turns[0]?.pictures, [{ name: 'a', url: address(4) }])
})

test('what is no export is none', () => {
  const [user] = [message]
  for (const text of ['', '[]', '{"turns":[]}', JSON.stringify({ turns: [user, { role: 'system', content: 'no' }] })])
    assert.equal(readExport(text, 7), null, text)
})
