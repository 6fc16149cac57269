import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../../../../core/chat/conversation.ts'
import { conversationJson, conversationMarkdown, fileName } from './export-conversation.ts'
import { readExport } from './import-conversation.ts'

const turn = (fields: Partial<Turn>): Turn => ({
  ...{ id: 'x', parent: null, role: 'user', content: '', files: [], state: 'done', failure: null, model: null, facts: null, at: 0 },
  ...fields,
})
const turns = [
  turn({ content: 'Read this.', files: [{ name: 'a.md', text: '```js\n1\n```' }] }),
  turn({ role: 'assistant', content: '**Done.**', model: 'fake-chat' }),
]

test('as Markdown, files are in fences that their own fences do not close', () => {
  assert.equal(
    conversationMarkdown('Files', turns),
    '# Files\n\n**You:**\n\nRead this.\n\na.md:\n````\n```js\n1\n```\n````\n\n**fake-chat:**\n\n**Done.**\n',
  )
})

test('as JSON, messages have the form of chat completions', () => {
  const { title, messages } = JSON.parse(conversationJson('Files', turns))
  assert.equal(title, 'Files')
  assert.deepEqual(messages[1], { role: 'assistant', content: '**Done.**', model: 'fake-chat', at: '1970-01-01T00:00:00.000Z' })
})

test('a JSON export is imported again with all its messages', () => {
  const said = [
    ...turns,
    turn({ content: '', pictures: [{ name: 'a.png', url: 'data:image/png;base64,AAAA' }] }),
    turn({
      role: 'assistant',
      content: 'Look.',
      thoughts: 'Hm.',
      model: 'm',
      calls: [{ id: 'c', name: 'f', arguments: '{}', result: '7' }],
    }),
  ]
  const read = readExport(conversationJson('Files', said), 5)
  assert.equal(read?.title, 'Files')
  assert.equal(
    conversationJson('Files', read.turns).replaceAll(/"at": "[^"]+"/g, ''),
    conversationJson('Files', said).replaceAll(/"at": "[^"]+"/g, ''),
  )
  const ids = read.turns.map(({ id }) => id)
  assert.equal(new Set(ids).size, said.length)
  assert.deepEqual(
    read.turns.map(({ parent }) => parent),
    [null, ...ids.slice(0, -1)],
  )
})

test('a file that is not an export is rejected, and invalid parts of an export are left out', () => {
  for (const text of [
    '',
    'null',
    '[]',
    '{"turns":[]}',
    '{"turns":[{"role":"king","content":"x"}]}',
    '{"turns":[{"role":"user"}]}',
    '# Files',
  ])
    assert.equal(readExport(text, 0), null, text)
  const odd = {
    title: ['x'],
    turns: [{ role: 'user', content: 'Hi', files: [{ name: 1 }], pictures: 'x', calls: [null], model: 7, id: 'mine' }],
  }
  const read = readExport(JSON.stringify(odd), 0)
  assert.equal(read?.title, 'Untitled')
  const [only] = read.turns
  assert.deepEqual([only?.files, only?.pictures, only?.calls, only?.model], [[], undefined, undefined, null])
  assert.notEqual(only?.id, 'mine')
})

const names: readonly (readonly [title: string, name: string])[] = [
  ['What is 17 + 25?', 'what-is-17-25.md'],
  ['../../etc/passwd', 'etc-passwd.md'],
  ['Über Größe', 'u-ber-gro-ße.md'],
  ['???', 'conversation.md'],
  ['日本語', '日本語.md'],
]
for (const [title, name] of names) test(`${title} is saved as ${name}`, () => assert.equal(fileName(title, 'md'), name))
