import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectToolFormat } from '../prompt/tool-format.ts'
import { ToolCallReader, type ToolEvent } from './tool-call-reader.ts'

const hermes = detectToolFormat('{% if tools %}<tool_call>{% endif %}')
const mistral = detectToolFormat('{% if tools %}[TOOL_CALLS]{% endif %}')
const named = detectToolFormat('{% if tools %}[TOOL_CALLS]x[ARGS]y{% endif %}')
const deepSeek = detectToolFormat("{{ '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + name + '<｜tool▁sep｜>' }}")
const llama3 = {
  ...detectToolFormat('{% if tools %}{"name": x, "parameters": y} ipython{% endif %}'),
  tools: [{ name: 'add', description: null, parameters: {} }],
}

/** Reads an answer in fragments of one size and joins the text and the arguments of each call. */
function read(format: typeof hermes, answer: string, size: number): { text: string; calls: string[] } {
  const reader = new ToolCallReader(format)
  const events: ToolEvent[] = []
  for (let index = 0; index < answer.length; index += size) events.push(...reader.add(answer.slice(index, index + size)))
  const calls: string[] = []
  let text = ''
  for (const event of events) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'call') calls[event.index] = `${event.name}:`
    else calls[event.index] += event.fragment
  }
  assert.equal(reader.calls, calls.length)
  return { text: text + reader.flush(), calls }
}

for (const size of [1, 3, 1000]) {
  test(`two calls after text, ${size} characters at a time`, () => {
    const answer =
      'Let me see.<tool_call>\n{"name": "add", "arguments": {"a": {"b": "}"}}}\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
    assert.deepEqual(read(hermes, answer, size), { text: 'Let me see.', calls: ['add:{"a": {"b": "}"}}', 'now:{}'] })
  })

  test(`calls with a name and arguments, with or without an id between them, ${size} characters at a time`, () => {
    const answer = 'Wait.[TOOL_CALLS]add[CALL_ID]abcdefghi[ARGS]{"a": "[ARGS]"}[TOOL_CALLS]now[ARGS]{}'
    assert.deepEqual(read(named, answer, size), { text: 'Wait.', calls: ['add:{"a": "[ARGS]"}', 'now:{}'] })
    assert.deepEqual(read(named, '[TOOL_CALLS][{"name": "now", "arguments": {}}]', size), { text: '', calls: ['now:{}'] })
  })

  test(`DeepSeek's calls after text, ${size} characters at a time`, () => {
    const calls =
      '<｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": "<｜tool▁call▁end｜>"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜>'
    const answer = `Wait.<｜tool▁calls▁begin｜>${calls}<｜tool▁calls▁end｜>`
    assert.deepEqual(read(deepSeek, answer, size), { text: 'Wait.', calls: ['add:{"a": "<｜tool▁call▁end｜>"}', 'now:{}'] })
    assert.deepEqual(read(deepSeek, 'a <｜tool▁call', size), { text: 'a <｜tool▁call', calls: [] })
  })

  test(`text that only resembles a call, ${size} characters at a time`, () => {
    for (const text of ['a <tool_ca', 'The <tool_call> tag', '<tool_call><tool_call>: twice'])
      assert.deepEqual(read(hermes, text, size), { text, calls: [] })
  })

  test(`a call after text that only resembled one, ${size} characters at a time`, () => {
    const call = '<tool_call>{"name":"now","arguments":{}}</tool_call>'
    assert.deepEqual(read(hermes, `<tool_call>? ${call}`, size), { text: '<tool_call>? ', calls: ['now:{}'] })
  })

  test(`Mistral's list of calls, ${size} characters at a time`, () => {
    const answer = '[TOOL_CALLS][{"name": "add", "arguments": {"a": 1}}, {"name": "now", "arguments": {}}]'
    assert.deepEqual(read(mistral, answer, size), { text: '', calls: ['add:{"a": 1}', 'now:{}'] })
  })

  test(`Llama 3's bare JSON, ${size} characters at a time`, () => {
    for (const start of ['{"name": "add"', '\n{ "name":"add"', '{"type": "function", "name": "add"'])
      assert.deepEqual(read(llama3, `${start}, "parameters": {"a": 1}}`, size), { text: '', calls: ['add:{"a": 1}'] })
  })

  test(`JSON that does not call an offered tool, ${size} characters at a time`, () => {
    for (const text of ['{"name": "Ada"}', '{"name": "ad', '{"a": 1}', 'So: {"name": "add", "parameters": {}}', '\n'])
      assert.deepEqual(read(llama3, text, size), { text, calls: [] })
  })
}

test('the text after a mark is available until a call begins', () => {
  const reader = new ToolCallReader(hermes)
  assert.equal(reader.written, null)
  reader.add('Yes <tool_call>\n')
  assert.equal(reader.written, '<tool_call>\n')
  reader.add('{"name": "add", "arguments": {')
  assert.equal(reader.written, null)
})

test('without a mark, the text is a call once it names a tool', () => {
  const reader = new ToolCallReader(llama3)
  reader.add('{"name": "ad')
  assert.equal(reader.written, null)
  reader.add('d"')
  assert.equal(reader.written, '{"name": "add"')
})

test('an answer with a truncated last call has no calls', () => {
  const reader = new ToolCallReader(hermes)
  reader.add('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>')
  assert.equal(reader.calls, 1)
  reader.add('<tool_call>\n{"name": "add", "arguments": {"a"')
  assert.equal(reader.calls, 0)
})

test('a template without tools is not native and needs instructions', () => {
  assert.equal(detectToolFormat('{{ messages }}').native, false)
  assert.equal(hermes.native, true)
})

test('arguments that do not start with a bracket are unchanged, however they arrive', () => {
  for (const fragments of [[' two words\n{}'], [...' two words\n{}']]) {
    const reader = new ToolCallReader(hermes)
    const events = [...reader.add('<tool_call>\n{"name": "add", "arguments":'), ...fragments.flatMap((fragment) => reader.add(fragment))]
    const readFragments = events.map((event) => (event.type === 'arguments' ? event.fragment : ''))
    assert.equal(readFragments.join(''), 'two words\n{}')
  }
})
