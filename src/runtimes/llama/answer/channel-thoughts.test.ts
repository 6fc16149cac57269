import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChannelThoughts } from './channel-thoughts.ts'

const call = '<tool_call>\n{"name": "add", "arguments": '
const answers: readonly (readonly [answer: string, thoughts: string, text: string])[] = [
  ['<|channel|>analysis<|message|>Is a < b?<|end|><|start|>assistant<|channel|>final<|message|>No <| no.', 'Is a < b?', 'No <| no.'],
  ['<|channel|>analysis<|message|>A.<|end|><|start|>assistant<|channel|>analysis<|message|>B.<|end|>', 'A.\n\nB.', ''],
  ['<|channel|>analysis<|message|>A.<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}', 'A.', '{}'],
  ['<|channel|>commentary<|message|>Wait.<|end|><|start|>assistant<|channel|>final<|message|>Four.', '', 'Wait.\n\nFour.'],
  ['<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 1}', '', `${call}{"a": 1}`],
  [' to=functions.add<|channel|>commentary json<|message|>{"a": 1}', '', `${call}{"a": 1}`],
  ['<|channel|>commentary to=python code<|message|>1 + 1<|end|><|start|>assistant<|channel|>final<|message|>Two.', '1 + 1', 'Two.'],
  ['<|channel|>analysis<|message|>Cut <|en', 'Cut <|en', ''],
  ['<|channel|>analysis<|message|>A.<|end|><|start|>assistant<|chan', 'A.', ''],
  ['Four <|end|> five.', '', 'Four \n\n five.'],
]

for (const [answer, thoughts, text] of answers)
  test(`splits ${JSON.stringify(answer)} into thoughts and text, however it arrives`, () => {
    for (let size = 1; size <= answer.length; size++) {
      const reader = new ChannelThoughts({ answers: false, calls: true })
      const read = { thoughts: '', text: '' }
      for (let at = 0; at < answer.length; at += size) {
        const part = reader.add(answer.slice(at, at + size))
        read.thoughts += part.thoughts
        read.text += part.text
      }
      const rest = reader.flush()
      assert.deepEqual({ thoughts: read.thoughts + rest.thoughts, text: read.text + rest.text }, { thoughts, text }, `${size} at a time`)
    }
  })

test('an unwanted call is a thought, and a message that the prompt began is text', () => {
  const unwanted = new ChannelThoughts({ answers: false, calls: false })
  assert.deepEqual(unwanted.add('<|channel|>commentary to=functions.add json<|message|>{}'), { thoughts: '{}', text: '' })
  assert.equal(unwanted.callHead, null)
  assert.deepEqual(new ChannelThoughts({ answers: true, calls: false }).add(' four.'), { thoughts: '', text: ' four.' })
})

test('the head of a call is returned as written until its arguments begin', () => {
  const reader = new ChannelThoughts({ answers: false, calls: true })
  assert.equal(reader.callHead, null)
  reader.add('<|channel|>commentary to=functions.')
  assert.equal(reader.callHead, '<|channel|>commentary to=functions.')
  reader.add('add <|constrain|>json<|message|>')
  assert.equal(reader.callHead, null)
})
