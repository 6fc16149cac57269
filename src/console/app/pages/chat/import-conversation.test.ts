import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readExport } from './import-conversation.ts'

const message = { role: 'user', content: 'What is this?' }
const address = (characters: number) => `data:image/png;base64,${'A'.repeat(characters)}`

test('an export is imported with its images, up to the size that messages allow', () => {
  const pictures = [{ name: 'large.png', url: address(3_000_000) }]
  const read = readExport(JSON.stringify({ title: 'Pictures', turns: [{ ...message, pictures }] }), 7)
  assert.equal(read?.title, 'Pictures')
  assert.deepEqual(read.turns[0]?.pictures, pictures)
})

test('parts that no message can hold are left out of an export', () => {
  const urls = [address(4_000_000), 'https://pictures.example/a.png', 'data:text/html;base64,AAAA', 'javascript:0', address(4)]
  const read = readExport(JSON.stringify({ turns: [{ ...message, pictures: urls.map((url) => ({ name: 'a', url })) }] }), 7)
  assert.deepEqual(read?.turns[0]?.pictures, [{ name: 'a', url: address(4) }])
})

test('names are as long as those of other conversations', () => {
  const name = 'n'.repeat(500)
  const call = { id: 'c', name: 'f', arguments: '{}' }
  const turns = [
    { ...message, files: [{ name, text: 'Otters' }], pictures: [{ name, url: address(4) }] },
    { role: 'assistant', content: 'Look.', model: name, calls: [{ ...call, name }, { ...call, id: name }, { ...call, id: '' }, call] },
  ]
  const read = readExport(JSON.stringify({ title: name, turns }), 7)
  assert.equal(read?.title.length, 160)
  const [asked, answered] = read.turns
  assert.deepEqual(asked?.files, [{ name: name.slice(0, 255), text: 'Otters' }])
  assert.deepEqual(asked.pictures, [{ name: name.slice(0, 255), url: address(4) }])
  assert.deepEqual([answered?.model, answered?.calls], [null, [call]])
})

test('a file that is not an export is rejected', () => {
  const [user] = [message]
  for (const text of ['', '[]', '{"turns":[]}', JSON.stringify({ turns: [user, { role: 'system', content: 'no' }] })])
    assert.equal(readExport(text, 7), null, text)
})
