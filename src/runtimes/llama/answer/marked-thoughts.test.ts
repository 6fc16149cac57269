import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MarkedThoughts } from './marked-thoughts.ts'

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
  test(`${JSON.stringify(answer)} has its thoughts and its text, however it arrives`, () => {
    for (let size = 1; size <= answer.length; size++) {
      const reader = new MarkedThoughts({ open: '<think>', close: '</think>' }, opened)
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

test('marks of several tokens are found too', () => {
  const reader = new MarkedThoughts({ open: '<|channel>thought', close: '<channel|>' }, false)
  assert.deepEqual(reader.add('<|channel>'), { thoughts: '', text: '' })
  assert.deepEqual(reader.add('thought\nTwo <chan'), { thoughts: 'Two', text: '' })
  assert.deepEqual(reader.add('ge.\n<channel|>Four.'), { thoughts: ' <change.', text: 'Four.' })
})
