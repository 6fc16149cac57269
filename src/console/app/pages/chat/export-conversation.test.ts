import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../../../../core/chat/conversation.ts'
import { conversationJson, conversationMarkdown, fileName } from './export-conversation.ts'

const turn = (fields: Partial<Turn>): Turn => ({
  ...{ id: 'x', parent: null, role: 'user', content: '', files: [], state: 'done', failure: null, model: null, facts: null, at: 0 },
  ...fields,
})
const turns = [
  turn({ content: 'Read this.', files: [{ name: 'a.md', text: '```js\n1\n```' }] }),
  turn({ role: 'assistant', content: '**Done.**', model: 'fake-chat' }),
]

test('as Markdown, files stand in fences that their own do not close', () => {
  assert.equal(
    conversationMarkdown('Files', turns),
    '# Files\n\n**You:**\n\nRead this.\n\na.md:\n````\n```js\n1\n```\n````\n\n**fake-chat:**\n\n**Done.**\n',
  )
})

test('as JSON, messages are those of a chat completion', () => {
  const { title, messages } = JSON.parse(conversationJson('Files', turns))
  assert.equal(title, 'Files')
  assert.deepEqual(messages[1], { role: 'assistant', content: '**Done.**', model: 'fake-chat', at: '1970-01-01T00:00:00.000Z' })
})

const names: readonly (readonly [title: string, name: string])[] = [
  ['What is 17 + 25?', 'what-is-17-25.md'],
  ['../../etc/passwd', 'etc-passwd.md'],
  ['Über Größe', 'u-ber-gro-ße.md'],
  ['???', 'conversation.md'],
  ['日本語', '日本語.md'],
]
for (const [title, name] of names) test(`${title} is kept as ${name}`, () => assert.equal(fileName(title, 'md'), name))
