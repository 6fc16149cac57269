import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TextRequest } from '../../../../core/text-generation.ts'
import { createChatRequestParser } from '../chat-request.ts'
import { createCompletionRequestParser } from '../completion-request.ts'
import { publishedBodies } from '../sampling-fields.ts'

const parseChat = createChatRequestParser(publishedBodies)
const parseCompletion = createCompletionRequestParser(publishedBodies)
const user = { role: 'user', content: 'Count.' }
const assistant = { role: 'assistant', content: 'One, two,' }
const tool = { type: 'function', function: { name: 'look', arguments: '{}' } }

const chat = (fields: object): TextRequest => parseChat({ model: 'm', messages: [user], ...fields }).request
const completion = (fields: object): TextRequest => parseCompletion({ model: 'm', prompt: 'Count.', ...fields }).request
const openingOf = ({ input }: TextRequest): string => (input.type === 'chat' ? (input.opening ?? 'turn') : 'none')

suite('fields beyond OpenAI’s', () => {
  const schema = { type: 'object' }
  const formats: readonly (readonly [fields: object, expected: TextRequest['responseFormat']])[] = [
    [{ grammar: 'root ::= "a"' }, { type: 'grammar', grammar: 'root ::= "a"', field: 'grammar' }],
    [{ guided_grammar: 'root ::= "a"' }, { type: 'grammar', grammar: 'root ::= "a"', field: 'guided_grammar' }],
    [{ guided_json: schema }, { type: 'json_schema', schema, field: 'guided_json' }],
    [{ guided_json: '{"type":"object"}' }, { type: 'json_schema', schema, field: 'guided_json' }],
    [{ guided_regex: 'a+' }, { type: 'regex', pattern: 'a+', field: 'guided_regex' }],
    [{ guided_choice: ['a', 'b'] }, { type: 'choice', options: ['a', 'b'], field: 'guided_choice' }],
    [{ structured_outputs: { json: schema } }, { type: 'json_schema', schema, field: 'structured_outputs' }],
    [{ structured_outputs: { regex: 'a+' } }, { type: 'regex', pattern: 'a+', field: 'structured_outputs' }],
    [{ structured_outputs: { choice: ['a'] } }, { type: 'choice', options: ['a'], field: 'structured_outputs' }],
    [{ structured_outputs: { grammar: 'root ::= "a"' } }, { type: 'grammar', grammar: 'root ::= "a"', field: 'structured_outputs' }],
    [{ structured_outputs: { json_object: true } }, { type: 'json_object' }],
    [{ response_format: { type: 'json_object', schema } }, { type: 'json_schema', schema }],
  ]
  for (const [fields, expected] of formats)
    test(`${JSON.stringify(fields)} sets the output format of chats and plain completions`, () => {
      assert.deepEqual(chat(fields).responseFormat, expected)
      assert.deepEqual(completion(fields).responseFormat, expected)
    })

  test('the fields for the end of an answer are read, and no-op values are left out', () => {
    const fields = { min_tokens: 3, stop_token_ids: [7], ignore_eos: true, include_stop_str_in_output: true }
    for (const read of [chat, completion]) {
      assert.deepEqual(read({ ...fields, max_tokens: 9 }).ending, { minTokens: 3, stopTokens: [7], ignoreEnd: true, includeStop: true })
      assert.equal(read({ min_tokens: 0, stop_token_ids: [], ignore_eos: false, include_stop_str_in_output: null }).ending, undefined)
    }
  })

  const openings: readonly (readonly [what: string, fields: object, opening: string])[] = [
    ['a question', {}, 'turn'],
    ['a question and no turn', { add_generation_prompt: false }, 'bare'],
    ['a beginning', { messages: [user, assistant] }, 'last-message'],
    [
      'a beginning to continue',
      { messages: [user, assistant], continue_final_message: true, add_generation_prompt: false },
      'last-message',
    ],
    ['a finished turn', { messages: [user, assistant], continue_final_message: false }, 'turn'],
    ['a finished turn and a new one', { messages: [user, assistant], add_generation_prompt: true }, 'turn'],
    ['a finished turn and no new one', { messages: [user, assistant], add_generation_prompt: false }, 'bare'],
    ['an empty beginning', { messages: [user, { role: 'assistant', content: '' }] }, 'turn'],
    ['a call', { messages: [user, { role: 'assistant', content: 'Wait.', tool_calls: [{ id: 'a', ...tool }] }] }, 'turn'],
  ]
  for (const [what, fields, opening] of openings)
    test(`${what} is answered with ${opening}`, () => {
      assert.equal(openingOf(chat(fields)), opening)
    })

  test('reasoning_content is accepted in assistant messages only', () => {
    const { input } = chat({ messages: [user, { ...assistant, reasoning_content: 'Hm.' }, user] })
    assert.deepEqual(input.type === 'chat' && input.messages[1], { role: 'assistant', content: 'One, two,', thoughts: 'Hm.' })
    assert.throws(() => chat({ messages: [{ ...user, reasoning_content: 'Hm.' }] }), { param: 'messages[0].reasoning_content' })
  })

  for (const [fields, expected] of [
    [{ thinking: { type: 'disabled' } }, { thinks: false }],
    [{ thinking: { type: 'enabled', budget_tokens: 9 } }, { thinks: true, thoughtTokens: 9 }],
    [{ thinking: { type: 'adaptive' } }, {}],
    [{ reasoning: { effort: 'max', exclude: false } }, { effort: 'max' }],
    [{ reasoning: { enabled: true, max_tokens: 9 } }, { thinks: true, thoughtTokens: 9 }],
    [{ reasoning: {}, reasoning_effort: null }, {}],
  ] as const)
    test(`${JSON.stringify(fields)} sets the reasoning`, () => {
      const { type, messages, tools, toolChoice, parallelToolCalls, ...thinking } = Object(chat(fields).input)
      assert.deepEqual(thinking, expected)
    })

  const refusals: readonly (readonly [what: string, fields: object, param: string])[] = [
    ['reasoning that is both on and off', { thinking: { type: 'enabled' }, reasoning: { enabled: false } }, 'reasoning.enabled'],
    ['an effort although reasoning is off', { thinking: { type: 'disabled' }, reasoning: { effort: 'low' } }, 'reasoning.effort'],
    ['reasoning that is to be hidden', { reasoning: { exclude: true } }, 'reasoning.exclude'],
    ['two formats', { grammar: 'root ::= "a"', guided_regex: 'a' }, 'guided_regex'],
    ['a format beside a response format', { response_format: { type: 'json_object' }, guided_choice: ['a'] }, 'guided_choice'],
    ['two structured outputs', { structured_outputs: { regex: 'a', choice: ['a'] } }, 'structured_outputs'],
    ['no structured output', { structured_outputs: {} }, 'structured_outputs'],
    ['a schema that is not an object', { guided_json: '[1]' }, 'guided_json'],
    ['a schema that is not JSON', { guided_json: '{"a"' }, 'guided_json'],
    ['no choice', { guided_choice: [] }, 'guided_choice'],
    ['an endless grammar', { grammar: 'x'.repeat(70_000) }, 'grammar'],
    ['more tokens than the limit', { min_tokens: 9, max_tokens: 8 }, 'min_tokens'],
    ['a negative token', { stop_token_ids: [-1] }, 'stop_token_ids'],
    ['nothing to continue', { continue_final_message: true }, 'continue_final_message'],
    [
      'a new turn that continues',
      { messages: [user, assistant], continue_final_message: true, add_generation_prompt: true },
      'continue_final_message',
    ],
  ]
  for (const [what, fields, param] of refusals)
    test(`${what} is refused by name`, () => {
      assert.throws(
        () => chat(fields),
        (error: { code?: string; param?: string }) => error.code === 'invalid_request_error' && (error.param ?? '').startsWith(param),
      )
    })
})
