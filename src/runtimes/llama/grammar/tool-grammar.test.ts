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

test('only the missing part of a call is required', () => {
  assert.match(root(constrainToolCalls(rules, '<tool_call>')), /^root ::= \("\\n\{\\"name\\": \\"add/)
  assert.match(root(constrainToolCalls(rules, '<tool_call>\n{"na')), /^root ::= \("me\\": \\"add/)
})

test('a partial name allows only the tools that begin with it', () => {
  assert.match(root(constrainToolCalls(rules, '<tool_call>\n{"name": "o')), /^root ::= \("dd\\", \\"arguments\\": " rule-\d+\) /)
})

test('text that cannot become a call is unconstrained', () => {
  assert.equal(constrainToolCalls(rules, '<tool_call> hello'), null)
})

test('a named choice allows only that tool', () => {
  const grammar = constrainToolCalls({ ...rules, choice: { name: 'add' } }, null)?.grammar ?? ''
  assert.match(grammar, /add\\", \\"arguments\\"/)
  assert.doesNotMatch(grammar, /odd\\"/)
})

test('with one call at a time, no second call may follow', () => {
  assert.doesNotMatch(root(constrainToolCalls({ ...rules, parallel: false }, null)), /\{0,15\}/)
})

test('an argument with a recursive schema may be any value', () => {
  const parameters = { $defs: { a: { $ref: '#/$defs/a' } }, properties: { x: { $ref: '#/$defs/a' } } }
  const endless = { name: 'endless', description: null, parameters }
  const constraint = constrainToolCalls({ ...rules, tools: [endless] }, null)
  assert.deepEqual(constraint?.loosened, [
    'The JSON schema of the tool "endless" is not followed in one place: "$ref" at #/$defs/a refers to itself.',
  ])
  assert.ok(new GrammarStates(constraint?.grammar ?? ''))
})

test('with a response format, a call is an alternative answer', () => {
  const constraint = constrainCallsOrAnswer(rules, { type: 'json_object' })
  assert.match(root(constraint), /^root ::= object \| \("<tool_call>/)
  assert.equal(constraint.endsInTime, false)
})
