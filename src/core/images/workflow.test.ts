import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWorkflow } from './workflow.ts'

const node = (text: string) => ({ 6: { class_type: 'CLIPTextEncode', inputs: { text } } })

test('a workflow reports its placeholders', () => {
  const nodes = node('{{prompt}}, masterpiece {{seed}}')
  assert.deepEqual(parseWorkflow(JSON.stringify(nodes)), { nodes, open: ['prompt', 'seed'] })
  assert.deepEqual(parseWorkflow(`\uFEFF${JSON.stringify(nodes)}`), { nodes, open: ['prompt', 'seed'] })
})

for (const [name, text, fault] of [
  ['invalid JSON', '{', /not valid JSON/],
  [
    'a workflow that was saved instead of exported',
    JSON.stringify({ nodes: [{ type: 'X' }] }),
    /saved for the editor; export it in ComfyUI with "Export \(API\)"/,
  ],
  ['a list', '[]', /API format/],
  ['a node without a class', JSON.stringify({ ...node('{{prompt}}'), 7: {} }), /API format/],
  ['a missing prompt placeholder', JSON.stringify(node('a fox')), /no \{\{prompt\}\}/],
  ['an unknown placeholder', JSON.stringify(node('{{prompt}} {{mood}}')), /\{\{mood\}\}; use one of prompt, /],
] as const)
  test(`reports ${name}`, () => {
    const parsed = parseWorkflow(text)
    assert.match('fault' in parsed ? parsed.fault : '', fault)
  })
