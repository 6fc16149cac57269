import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '../../../core/json-value.ts'
import { ToolCallReader } from '../answer/tool-call-reader.ts'
import type { GrammarState } from '../automaton/byte-arrows.ts'
import { Effort } from '../automaton/effort.ts'
import { GrammarStates } from '../automaton/grammar-states.ts'
import { detectToolFormat, type ToolFormat } from '../prompt/tool-format.ts'
import { constrainToolCalls } from './tool-grammar.ts'

const format = detectToolFormat('{% if tools %}<tool_call>\\n<function=add>\\n<parameter=a>{% endif %}')

const glm = detectToolFormat('{% if tools %}<tool_call><arg_key></arg_value>{% endif %}')

/** Checks which answers a grammar for calls of tools with these parameters accepts. */
function follow(...schemas: readonly JsonObject[]): (text: string) => boolean {
  return followIn(format, schemas)
}

function followIn(format: ToolFormat, schemas: readonly JsonObject[]): (text: string) => boolean {
  const tools = schemas.map((parameters, index) => ({ name: `tool${index}`, description: null, parameters }))
  const constraint = constrainToolCalls({ tools, choice: 'auto', parallel: true, format: { ...format, tools } }, null)
  const states = new GrammarStates(constraint?.grammar ?? '')
  const effort = new Effort(100_000_000)
  const start = states.start(effort)
  return (text) => {
    let state: GrammarState | null = start
    for (const byte of Buffer.from(text)) state = state === null ? null : states.advance(state, byte, effort)
    return state?.complete === true
  }
}

const value = (name: string, written: string): string => `<parameter=${name}>\n${written}\n</parameter>\n`
const call = (...written: readonly string[]): string => `<tool_call>\n<function=tool0>\n${written.join('')}</function>\n</tool_call>`
const text = { type: 'string' }

const schemas: readonly (readonly [schema: JsonValue, allowed: readonly string[], refused: readonly string[]])[] = [
  [text, ['', 'Paris', '42', 'a\nb', '<b>é🎉</b>', 'x</parameter>y', '\n</parameter>\n</functions>'], ['\0']],
  [{ ...text, minLength: 1 }, ['a', 'a\n', 'a</parameter>b'], ['', '\n', '\r\n']],
  [{ ...text, minLength: 1, maxLength: 2 }, ['a', 'ab'], ['', 'abc']],
  [{ ...text, format: 'date' }, ['2026-01-31'.replace('31', '28')], ['today', '"2026-01-28"']],
  [{ ...text, pattern: '^x' }, ['x', 'y'], []],
  [{ type: 'string', nullable: true, enum: ['a'] }, ['a', 'null'], ['b']],
  [{ type: 'INTEGER', format: 'int32' }, ['1'], ['x']],
  [{ enum: ['a b', 'c'] }, ['a b', 'c'], ['a', '"c"', 'd']],
  [{ enum: ['a', 1, null] }, ['a', '1', 'null'], ['b', '2']],
  [{ const: 'a' }, ['a'], ['"a"', 'b']],
  [{ type: 'integer', minimum: 0, maximum: 9 }, ['0', '9'], ['10', '-1', 'x', '"1"']],
  [{ type: 'integer', multipleOf: 2 }, ['2'], ['x', '1.5']],
  [{ type: 'boolean' }, ['true', 'false'], ['yes']],
  [{ type: 'array', items: text }, ['["a"]', '[]'], ['a', '[a]', '[1]']],
  [{ type: 'object', properties: { a: text }, required: ['a'] }, ['{"a":"b"}'], ['{}', '{"a":b}']],
  [{ type: ['integer', 'null'] }, ['1', 'null'], ['x', 'None']],
  [{ anyOf: [{ ...text, format: 'date' }, { type: 'null' }] }, ['2026-01-28', 'null'], ['x', '"2026-01-28"']],
  [{ anyOf: [text, { type: 'null' }] }, ['null', 'x'], []],
  [{ $ref: '#/$defs/name' }, ['a'], ['b', '"a"']],
  [{ type: 'array', items: { $ref: '#/$defs/name' } }, ['["a"]'], ['[a]', '["b"]']],
  [{ $ref: '#/$defs/endless' }, ['x'], []],
  [{ description: 'anything' }, ['x', '1', '{"a": 1}'], []],
  [true, ['x', '1'], []],
]

for (const [schema, allowed, refused] of schemas)
  test(`a value must match ${JSON.stringify(schema)}`, () => {
    const accepts = follow({
      properties: { a: schema },
      required: ['a'],
      $defs: { name: { enum: ['a'] }, endless: { $ref: '#/$defs/endless' } },
    })
    for (const written of allowed) assert.ok(accepts(call(value('a', written))), written)
    for (const written of refused) assert.ok(!accepts(call(value('a', written))), written)
  })

test('required parameters come first, then the optional ones in the order of the schema', () => {
  const accepts = follow({ properties: { a: text, b: text, c: text }, required: ['c'], additionalProperties: false })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => value(name, 'x'))
  for (const written of [[c], [c, a], [c, b], [c, a, b]]) assert.ok(accepts(call(...written.map(String))), written.join(''))
  for (const written of [[], [a], [a, c], [c, b, a], [c, c], [c, value('d', 'x')]])
    assert.ok(!accepts(call(...written.map(String))), written.join(''))
})

test('a tool without parameters accepts none, and one that lists none accepts any', () => {
  assert.ok(follow({ properties: {} })(call()))
  assert.ok(!follow({ properties: {} })(call(value('a', 'x'))))
  for (const schema of [{}, { type: 'object' }, { $ref: '#/$defs/a', $defs: { a: {} } }]) {
    const accepts = follow(schema)
    assert.ok(accepts(call()))
    assert.ok(accepts(call(value('a', 'x'), value('b', '1'))))
  }
})

test('calls may follow each other with or without a line break', () => {
  const accepts = follow({ properties: {} }, { properties: { a: text } })
  for (const gap of ['', '\n']) assert.ok(accepts(`${call()}${gap}${call(value('a', 'x')).replace('tool0', 'tool1')}`))
  assert.ok(!accepts(`${call()} ${call()}`))
})

test('elements for names and values may be on separate lines, but a line break in a value is part of it', () => {
  const parameters = { properties: { a: { enum: ['x'] }, b: { type: 'integer' } }, required: ['a'] }
  const accepts = followIn(glm, [parameters, { properties: {} }])
  const a = '<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n'
  const written = `<tool_call>tool0\n${a}<arg_key>b</arg_key>\n<arg_value>1</arg_value>\n</tool_call>\n<tool_call>tool1\n</tool_call>`
  assert.ok(accepts(written))
  assert.ok(accepts(written.replaceAll('\n', '')))
  for (const value of ['x\n', '\nx', 'y', ''])
    assert.ok(!accepts(`<tool_call>tool0\n${a.replace('>x', `>${value}`)}</tool_call>`), JSON.stringify(value))
})

const notations = [
  {
    format,
    pieces: ['x', '\n', '\r\n', '</parameter>', '</parameter', '</function>', '</function', '<parameter=b>\n', '\n</tool_call>', '<', '>'],
    call,
    value,
  },
  {
    format: glm,
    pieces: ['x', '\n', '\r\n', '</arg_value>', '</arg_value', '</tool_call>', '</tool_call', '<arg_key>b</arg_key><arg_value>', '<', '>'],
    call: (...written: readonly string[]) => `<tool_call>tool0\n${written.join('')}</tool_call>`,
    value: (name: string, written: string) => `<arg_key>${name}</arg_key>\n<arg_value>${written}</arg_value>\n`,
  },
]

for (const { format, pieces, call, value } of notations)
  test(`a string between ${format.parameters?.open} and its end mark ends at the same character for the grammar and the reader`, () => {
    const parameters = { properties: { a: text, b: text } }
    const accepts = followIn(format, [parameters])
    let seed = 1
    const random = (most: number): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % most
    }
    let whole = 0
    for (let round = 0; round < 500; round++) {
      const written = Array.from({ length: random(9) }, () => pieces[random(pieces.length)]).join('')
      const answer = call(value('a', written))
      if (!accepts(answer)) continue
      const reader = new ToolCallReader({ ...format, tools: [{ name: 'tool0', description: null, parameters }] })
      const calls = reader.add(answer)
      assert.equal(reader.calls, 1, answer)
      const json = calls.map((event) => (event.type === 'arguments' ? event.fragment : '')).join('')
      const rendered = call(...Object.entries(JSON.parse(json)).map(([name, read]) => value(name, String(read))))
      assert.equal(rendered.replace(/\s/g, ''), answer.replace(/\s/g, ''))
      whole++
    }
    assert.ok(whole > 100)
  })
