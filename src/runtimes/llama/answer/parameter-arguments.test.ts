import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../core/json-value.ts'
import { detectToolFormat, type ToolFormat } from '../prompt/tool-format.ts'
import { ToolCallReader, type ToolEvent } from './tool-call-reader.ts'

const coder = detectToolFormat('{% if tools %}<tool_call>\\n<function=add>\\n<parameter=a>{% endif %}')
const text = { type: 'string' }
const properties: JsonObject = {
  text,
  count: { type: 'integer' },
  list: { type: 'array' },
  flag: { type: 'boolean' },
  either: { anyOf: [{ type: 'integer' }, text, { type: 'null' }] },
  chosen: { enum: ['1', '2'] },
  named: { $ref: '#/$defs/name' },
  free: {},
}
const parameters: JsonObject = { type: 'object', properties, $defs: { name: { allOf: [text] } } }
const tools = ['add', 'now'].map((name) => ({ name, description: null, parameters }))
const format: ToolFormat = { ...coder, tools }

interface Read {
  readonly text: string
  readonly calls: readonly string[]
  readonly whole: number
}

/** Reads an answer in fragments of one size and joins the text and the arguments of each call. */
function read(answer: string, size: number, from = format): Read {
  const reader = new ToolCallReader(from)
  const events: ToolEvent[] = []
  const characters = [...answer]
  for (let index = 0; index < characters.length; index += size) events.push(...reader.add(characters.slice(index, index + size).join('')))
  const calls: string[] = []
  let text = ''
  for (const event of events) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'call') calls[event.index] = `${event.name}:`
    else calls[event.index] += event.fragment
  }
  return { text: text + reader.flush(), calls, whole: reader.calls }
}

const value = (name: string, written: string): string => `<parameter=${name}>\n${written}\n</parameter>\n`
const call = (...written: readonly string[]): string => `<tool_call>\n<function=add>\n${written.join('')}</function>\n</tool_call>`

/** The JSON that one argument becomes, however it arrives. */
function argumentOf(name: string, written: string): unknown {
  const answer = call(value(name, written))
  const [first, ...others] = [1, 2, 3, 7, 1000].map((size) => read(answer, size).calls[0] ?? '')
  for (const other of others) assert.equal(other, first)
  return JSON.parse(first?.slice('add:'.length) ?? '')[name]
}

const values: readonly (readonly [name: string, written: string, value: unknown])[] = [
  ['text', 'Paris', 'Paris'],
  ['text', '42', '42'],
  ['text', 'null', 'null'],
  ['text', '"quoted" \\n {"a": 1}', '"quoted" \\n {"a": 1}'],
  ['text', '', ''],
  ['text', '\nblank lines\n', '\nblank lines\n'],
  ['text', '  indented\n\ttabs', '  indented\n\ttabs'],
  ['text', 'a\r\nb\r\n', 'a\r\nb\r\n'],
  ['text', 'žluťoučký 🎉 格', 'žluťoučký 🎉 格'],
  ['text', 'a </parameter b', 'a </parameter b'],
  ['text', '<param>\n  <parameter>x</parameter>\n</param>', '<param>\n  <parameter>x</parameter>\n</param>'],
  ['text', 'x\n</parameter>\n</functions>', 'x\n</parameter>\n</functions>'],
  ['text', 'a </function> <tool_call> b', 'a </function> <tool_call> b'],
  ['text', '</parameter>\n', '</parameter>\n'],
  ['chosen', '1', '1'],
  ['named', '7', '7'],
  ['count', '42', 42],
  ['count', ' 42 ', 42],
  ['count', 'forty-two', 'forty-two'],
  ['list', '[1, {"a": "</parameter>"}]', [1, { a: '</parameter>' }]],
  ['list', '[\n  1\n]', [1]],
  ['list', '[1', '[1'],
  ['list', '["</parameter><parameter=text>", "</parameter></function>\\""]', ['</parameter><parameter=text>', '</parameter></function>"']],
  ['list', '["open', '["open'],
  ['flag', 'true', true],
  ['flag', 'False', false],
  ['either', '42', 42],
  ['either', 'null', null],
  ['either', 'None', null],
  ['either', 'true', 'true'],
  ['either', '"a"', '"a"'],
  ['either', 'two', 'two'],
  ['free', '{"a": [1.50]}', { a: [1.5] }],
  ['free', 'plain', 'plain'],
  ['toString', 'plain', 'plain'],
]

for (const [name, written, expected] of values)
  test(`reads ${JSON.stringify(written)} for ${name} as ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(argumentOf(name, written), expected))

for (const size of [1, 3, 1000]) {
  test(`several calls after text, ${size} characters at a time`, () => {
    const answer = `Let me see.\n${call(value('text', 'a'), value('count', '1'))}\n${call().replace('add', 'now')}`
    assert.deepEqual(read(answer, size), { text: 'Let me see.\n', calls: ['add:{"text": "a", "count": 1}', 'now:{}'], whole: 2 })
  })

  test(`a call without its mark, ${size} characters at a time`, () => {
    const answer = `So.\n${call(value('count', '1')).replace('<tool_call>\n', '')}\n${call(value('count', '2'))}`
    assert.deepEqual(read(answer, size), { text: 'So.\n', calls: ['add:{"count": 1}', 'add:{"count": 2}'], whole: 2 })
  })

  test(`missing or different line breaks, ${size} characters at a time`, () => {
    const answer = call(value('text', 'a'), value('count', '1'))
    for (const lineBreak of ['', '\r\n'])
      assert.deepEqual(read(answer.replaceAll('\n', lineBreak), size).calls, ['add:{"text": "a", "count": 1}'], JSON.stringify(lineBreak))
  })

  test(`text that only resembles a call, ${size} characters at a time`, () => {
    for (const text of [
      'a <tool_ca',
      'The <tool_call> tag',
      '#include <functional>',
      'a <function name>',
      'The <function=example> tag',
      '<tool_call><tool_call>: twice',
    ])
      assert.deepEqual(read(text, size), { text, calls: [], whole: 0 })
  })

  test(`truncated calls are not complete, ${size} characters at a time`, () => {
    const answer = call(value('text', 'a'), value('count', '1'))
    for (let length = answer.indexOf('>\n<parameter'); length < answer.indexOf('</function>') + '</function>'.length; length++) {
      const { calls, whole } = read(answer.slice(0, length), size)
      assert.equal(whole, 0)
      assert.throws(() => JSON.parse(calls[0]?.slice('add:'.length) ?? ''), SyntaxError)
    }
  })
}

test('a value of any type ends at its end mark, even if it looks like an open string', () => {
  const free = { ...format, tools: [{ name: 'add', description: null, parameters: { additionalProperties: { type: 'integer' } } }] }
  const { calls } = read(call(value('width', '5"')).replaceAll('\n', ''), 3, free)
  assert.deepEqual(calls, ['add:{"width": "5\\""}'])
})

test('marks without a call soon after them start no call', () => {
  for (const size of [7, 1000]) {
    const spaced = `<tool_call>${'\n'.repeat(3000)}`
    assert.deepEqual(read(`${spaced}!`, size), { text: `${spaced}!`, calls: [], whole: 0 })
    const unnamed = call(value('text', 'a'), `<parameter=${'x'.repeat(3000)}\n`, value('count', '1'))
    assert.deepEqual(read(unnamed, size), { text: '', calls: ['add:{"text": "a", "count": 1}'], whole: 1 })
    const later = `${call(value('text', 'a'))}${'<tool_call>'.repeat(1000)}${call()}`
    assert.deepEqual(read(later, size), { text: '', calls: ['add:{"text": "a"}', 'add:{}'], whole: 2 })
  }
  const reader = new ToolCallReader(format)
  reader.add(call())
  for (let count = 0; count < 1000; count++) reader.add('after it')
  assert.equal(reader.held, 1024)
})

test('a string is streamed while it is generated, other values once they are complete', () => {
  const reader = new ToolCallReader(format)
  const readFragment = (fragment: string): string =>
    reader
      .add(fragment)
      .map((event) => (event.type === 'arguments' ? event.fragment : ''))
      .join('')
  assert.equal(readFragment('<tool_call>\n<function=add>\n<parameter=text>\nPa'), '{"text": "Pa')
  assert.equal(readFragment('ris "now"\n'), 'ris \\"now\\"')
  assert.equal(readFragment('</param'), '')
  assert.equal(readFragment('eter>\n<parameter=count>\n'), '", "count": ')
  assert.equal(readFragment('4'), '')
  assert.equal(readFragment('2\n</parameter>\n</function>'), '42}')
})

test('the text before the name is reported in the spelling of the format', () => {
  for (const written of ['<tool_call>\n<function=add', '<tool_call><function= add', '<function=add']) {
    const reader = new ToolCallReader(format)
    reader.add(`So: ${written}`)
    assert.equal(reader.written, '<tool_call>\n<function=add')
  }
})

const glm: ToolFormat = { ...detectToolFormat('{% if tools %}<tool_call><arg_key></arg_value>{% endif %}'), tools }

for (const size of [1, 3, 1000]) {
  test(`elements for names and values, on separate lines or not, ${size} characters at a time`, () => {
    const inLines =
      'See.\n<tool_call>add\n<arg_key>text</arg_key>\n<arg_value>\n4\n</arg_value>\n<arg_key>count</arg_key>\n<arg_value>2</arg_value>\n</tool_call>\n<tool_call>now\n</tool_call>'
    const calls = ['add:{"text": "\\n4\\n", "count": 2}', 'now:{}']
    assert.deepEqual(read(inLines, size, glm), { text: 'See.\n', calls, whole: 2 })
    const inOne = inLines.replaceAll(/(?<=<.*>|add|now)\n(?=<)/g, '')
    assert.deepEqual(read(inOne, size, glm), { text: 'See.\n', calls, whole: 2 })
  })

  test(`values that contain elements of such calls, ${size} characters at a time`, () => {
    for (const value of ['a</arg_value>b', '</arg_value>\n<arg_value>', 'x</tool_call>', '<arg_key>', '</arg_value', 'é🎉\r\n']) {
      const { calls } = read(`<tool_call>add<arg_key>text</arg_key><arg_value>${value}</arg_value></tool_call>`, size, glm)
      assert.deepEqual(calls, [`add:{"text": ${JSON.stringify(value)}}`])
    }
  })

  test(`text that only resembles a call by name, ${size} characters at a time`, () => {
    for (const text of [
      'The <tool_call> tag',
      '<tool_call>ad',
      '<tool_call>other\n</tool_call>',
      '<tool_call>no w\n',
      '<tool_call>ad\n<',
      'add <arg_key>',
    ])
      assert.deepEqual(read(text, size, glm), { text: text === '<tool_call>ad' ? '' : text, calls: [], whole: 0 })
  })
}
