import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'
import type { Turn } from '../../../../../core/chat/conversation.ts'

openBrowserPage('/console/chat')
const { contextUse, countedTurns, leaveOutOldest } = await import('./context-use.ts')

const empty = { files: [], failure: null, model: null, facts: null, state: 'done' } as const
const said = (id: string, content: string): Turn => ({ ...empty, id, parent: null, role: 'user', content, at: 0 })
const answered = (id: string, content: string, promptTokens: number, completionTokens: number): Turn => ({
  ...{ ...empty, id, parent: null, role: 'assistant', content, at: 0 },
  facts: { promptTokens, completionTokens, firstTextMs: 0, writingMs: 0 },
})

suite('the context used by a conversation', () => {
  const path = [
    said('q1', 'a'.repeat(400)),
    answered('a1', 'b'.repeat(200), 110, 100),
    said('q2', 'Go on.'),
    answered('a2', 'c'.repeat(200), 220, 100),
  ]

  test('is the count of the model plus an estimate of later messages', () => {
    assert.deepEqual(contextUse(path, null), { tokens: 320, isEstimate: false })
    assert.deepEqual(
      contextUse(path, null, { system: 'Be brief.', draft: 'd'.repeat(100) }),
      { tokens: 370, isEstimate: true },
      'at the tokens per letter of its answers',
    )
    const alone = [said('q1', 'a'.repeat(400))]
    assert.deepEqual(contextUse(alone, null), { tokens: 152, isEstimate: true })
    assert.equal(contextUse(alone, null, { system: 'a'.repeat(100) }).tokens, 152 + 37)
    assert.equal(contextUse(alone, null, { files: [{ name: 'a.txt', text: '字'.repeat(100) }] }).tokens, 152 + 160)
    const picture = { name: 'a.png', url: 'data:image/png;base64,AAAA' }
    assert.equal(contextUse(alone, null, { pictures: [picture] }).tokens, 152 + 1000)
  })

  test('includes the answer that is being written', () => {
    const growing = { ...answered('a3', 'e'.repeat(200), 0, 0), facts: null, state: 'writing' } as const
    const { tokens, isEstimate } = contextUse([...path, said('q3', 'And?'), growing], null)
    assert.ok(isEstimate && tokens > 420, `${tokens} tokens`)
  })

  test('follows the counts of the model in the script of each text', () => {
    const chinese = [said('q1', '字'.repeat(100)), answered('a1', '字'.repeat(100), 80, 80)]
    assert.equal(contextUse(chinese, null, { draft: '字'.repeat(100) }).tokens, 80 + 80 + 80)
    assert.equal(contextUse(chinese, null, { draft: 'a'.repeat(100) }).tokens, 80 + 80 + 19)
    const thoughtful = [said('q1', 'Hello'), answered('a1', 'a'.repeat(100), 10, 1000)]
    assert.equal(contextUse(thoughtful, null, { draft: 'a'.repeat(100) }).tokens, 10 + 1000 + 74, 'not at the tokens of hidden reasoning')
  })

  test('is estimated if messages are no longer included', () => {
    const { tokens, isEstimate } = contextUse(path, 'q2')
    assert.ok(isEstimate && tokens > 100 && tokens < 120, `${tokens} tokens`)
  })

  test('is halved by leaving out the oldest messages, starting again at a user message', () => {
    assert.equal(leaveOutOldest(path, 320), 'q2')
    assert.equal(leaveOutOldest(path, 10_000), 'q1')
    assert.equal(leaveOutOldest(path, 8), 'q2', 'the last message stays, however long')
    assert.equal(leaveOutOldest([], 8), null)
  })

  test('includes all messages if the first one to include is missing', () => {
    assert.equal(countedTurns(path, 'elsewhere').length, 4)
    assert.deepEqual(
      countedTurns(path, 'q2').map(({ id }) => id),
      ['q2', 'a2'],
    )
  })
})
