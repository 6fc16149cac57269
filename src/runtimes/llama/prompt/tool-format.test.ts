import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectToolFormat } from './tool-format.ts'

const example = '{% if tools %}<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>{% endif %}'

test('a template with blocks of JSON describes calls itself', () => assert.ok(detectToolFormat(example).native))

for (const [family, block, parameter] of [
  ['Qwen 3 Coder', '<tool_call>\\n<function=add>\\n<parameter=a>\\n</parameter>\\n</function>\\n</tool_call>', '<parameter='],
  ['GLM', '<tool_call>add<arg_key>a</arg_key><arg_value>b</arg_value></tool_call>', '<arg_key>'],
])
  test(`a template with an element for each argument, like that of ${family}, describes calls itself`, () => {
    const { native, parameters } = detectToolFormat(`{% if tools %}{{ '${block}' }}{% endif %}`)
    assert.deepEqual([native, parameters?.open], [true, parameter])
  })

for (const [family, block] of [
  ['One that writes all on one line', '<tool_call><function=add><parameter=a></parameter></function></tool_call>'],
  ['MiniMax M3', ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="add">'],
  ['Apriel', '<tool_call></tool_call>\n<tool_calls>[{"name": <function-name-1>, "arguments": <args-dict-1>}]</tool_calls>'],
])
  test(`${family}, which uses another format in its blocks, gets our instructions`, () => {
    const { native, mark } = detectToolFormat(`{% if tools %}${block}{% endif %}`)
    assert.deepEqual({ native, mark }, { native: false, mark: '<tool_call>' })
  })

test('DeepSeek gets the list of tools if its template leaves it out, and arguments in the form its template expects', () => {
  const call = (written: string): string => `{{ '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + name + '<｜tool▁sep｜>' + ${written} }}`
  const shown = (template: string) => {
    const { native, mark, offer, textArguments } = detectToolFormat(template)
    return [native && mark === '<｜tool▁calls▁begin｜>', offer !== undefined, textArguments]
  }
  assert.deepEqual(shown(call("tool['function']['arguments']")), [true, true, true])
  assert.deepEqual(shown(call("tool['function']['arguments'] | tojson")), [true, true, false])
  assert.deepEqual(shown(`{% if tools %}x{% endif %}${call('tool.function.arguments|tojson')}`), [true, false, false])
  const { native, mark } = detectToolFormat(call("'```json' + tool['function']['arguments']"))
  assert.deepEqual({ native, mark }, { native: false, mark: '<tool_call>' })
})
