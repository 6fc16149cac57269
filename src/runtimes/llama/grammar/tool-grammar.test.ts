import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrammarStates } from '../automaton/grammar-states.ts'
import { detectToolFormat } from '../prompt/tool-format.ts'
import { constrainCallsOrAnswer, constrainToolCalls, type ToolRules } from './tool-grammar.ts'

const add = { name: 'add', description: null, parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } }
const odd = { name: 'odd', description: null, parameters: { type: 'object', properties: { a: { type: 'string', pattern: '^(?=x)' } } } }
const rules: ToolRules = { tools: [add, odd], choice: 'auto', parallel: true, format: detectToolFormat('{{ messages }}') }

function root(constraint: ReturnType<typeof constrainToolCalls>): string {
  return constraint?.grammar.split('\n').find((line) => line.startsWith('root ::=')) ?? ''
}

test('a forced call begins with the mark', () => {
  assert.match(root(constrainToolCalls(rules, null)), /^root ::= \("<tool_call>\\n\{\\"name\\": \\"add/)
})

test('only what is still missing is asked for', () => {
  assert.match(root(constrainToolCalls(rules, '<tool_call>')), /^root ::= \("\\n\{\\"name\\": \\"add/)
  assert.match(root(constrainToolCalls(rules, '<tool_call>\n{"na')), /^root ::= \("me\\": \\"add/)
})

test('a name that has begun leaves only the tools it can become', () => {
  assert.match(root(constrainToolCalls(rules, '<tool_call>\n{"name": "o')), /^root ::= \("dd\\", \\"arguments\\": " rule-\d+\) /)
})

test('what cannot become a call is left alone', () => {
  assert.equal(constrainToolCalls(rules, '<tool_call> hello'), null)
})

test('a named choice leaves only that tool', () => {
  const grammar = constrainToolCalls({ ...rules, choice: { name: 'add' } }, null)?.grammar ?? ''
  assert.match(grammar, /add\\", \\"arguments\\"/)
  assert.doesNotMatch(grammar, /odd\\"/)
})

test('one call at a time has no next one', () => {
  assert.doesNotMatch(root(constrainToolCalls({ ...rules, parallel: false }, null)), /\{0,15\}/)
})

test('an argument whose schema leads back to itself may be anything', () => {
  const parameters = { $defs: { a: { $ref: '#/$defs/a' } }, properties: { x: { $ref: '#/$defs/a' } } }
  const endless = { name: 'endless', description: null, parameters }
  const constraint = constrainToolCalls({ ...rules, tools: [endless] }, null)
  assert.deepEqual(constraint?.loosened, [
    'The JSON schema of the tool "endless" is followed but for one place: "$ref" at #/$defs/a refers to itself.',
  ])
  assert.ok(new GrammarStates(constraint?.grammar ?? ''))
})

test('beside a response format, a call is one way to answer', () => {
  const constraint = constrainCallsOrAnswer(rules, { type: 'json_object' })
  assert.match(root(constraint), /^root ::= object \| \("<tool_call>/)
  assert.equal(constraint.endsInTime, false)
})
