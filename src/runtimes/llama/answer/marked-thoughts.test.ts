import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MarkedThoughts } from './marked-thoughts.ts'

const plain = { answer: { open: '', close: '' } }

const answers: readonly (readonly [answer: string, opened: boolean, thoughts: string, text: string])[] = [
  ['<think>\nTwo and two.\n\nFour?\n</think>\n\nFour.', false, 'Two and two.\n\nFour?', 'Four.'],
  ['\n<think></think>Four.', false, '', 'Four.'],
  ['\nTwo and two.\n</think>\n\nFour.', true, 'Two and two.', 'Four.'],
  ['Four.', false, '', 'Four.'],
  [' <thin ice', false, '', ' <thin ice'],
  ['<think>Cut off </thin', false, 'Cut off </thin', ''],
  ['<think>a < b </ c\n</think>a <think> b</think>', false, 'a < b </ c', 'a <think> b</think>'],
  ['<thi', false, '', '<thi'],
]

for (const [answer, opened, thoughts, text] of answers)
  test(`splits ${JSON.stringify(answer)} into thoughts and text, however it arrives`, () => {
    for (let size = 1; size <= answer.length; size++) {
      const reader = new MarkedThoughts({ ...plain, open: '<think>', close: '</think>' }, opened ? 'thoughts' : null)
      const read = { thoughts: '', text: '' }
      const fragments = Array.from({ length: Math.ceil(answer.length / size) }, (_, index) =>
        answer.slice(index * size, (index + 1) * size),
      )
      for (const part of [...fragments.map((fragment) => reader.add(fragment)), reader.flush()]) {
        read.thoughts += part.thoughts
        read.text += part.text
      }
      assert.deepEqual(read, { thoughts, text }, `${size} at a time`)
    }
  })

test('marks of several tokens are found', () => {
  const reader = new MarkedThoughts({ ...plain, open: '<|channel>thought', close: '<channel|>' }, null)
  assert.deepEqual(reader.add('<|channel>'), { thoughts: '', text: '' })
  assert.deepEqual(reader.add('thought\nTwo <chan'), { thoughts: 'Two', text: '' })
  assert.deepEqual(reader.add('ge.\n<channel|>Four.'), { thoughts: ' <change.', text: 'Four.' })
})

const solar = { open: '<|think|>', close: '<|end|><|begin|>assistant<|content|>', answer: { open: '<|content|>', close: '<|end|>' } }
const granite = { open: '<think>', close: '</think>', answer: { open: '<response>', close: '</response>' } }
const framed: readonly (readonly [
  answer: string,
  marks: typeof solar,
  begun: 'thoughts' | 'answer' | null,
  thoughts: string,
  text: string,
])[] = [
  ['<think>Four?</think>\n<response>Four.</response>\n', granite, null, 'Four?', 'Four.'],
  ['<think>Four?</think>\nFour </response', granite, null, 'Four?', 'Four </response'],
  ['<think>Four?</think> <respond>', granite, null, 'Four?', '<respond>'],
  ['Write <response>a</response>.', granite, null, '', 'Write <response>a</response>.'],
  ['a</response> b', granite, 'answer', '', 'a'],
  ['<|think|>Four?<|end|><|begin|>assistant<|content|>Four.<|end|><|begin|>', solar, null, 'Four?', 'Four.'],
  ['<|content|>Four.<|end|>', solar, null, '', 'Four.'],
  ['<|cont', solar, null, '', '<|cont'],
  ['Four?<|end|><|begin|>assistant', solar, 'thoughts', 'Four?<|end|><|begin|>assistant', ''],
]

for (const [answer, marks, begun, thoughts, text] of framed)
  test(`removes the marks around ${JSON.stringify(answer)}, however it arrives`, () => {
    for (let size = 1; size <= answer.length; size++) {
      const reader = new MarkedThoughts(marks, begun)
      const read = { thoughts: '', text: '' }
      for (let at = 0; at <= answer.length; at += size) {
        const part = at < answer.length ? reader.add(answer.slice(at, at + size)) : { thoughts: '', text: '' }
        read.thoughts += part.thoughts
        read.text += part.text
      }
      const rest = reader.flush()
      assert.deepEqual({ thoughts: read.thoughts + rest.thoughts, text: read.text + rest.text }, { thoughts, text }, `${size} at a time`)
      assert.equal(reader.flush().text, '')
    }
  })
