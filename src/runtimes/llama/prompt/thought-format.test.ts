import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thoughtLimit } from '../generate-text.ts'
import { compileChatTemplate } from './chat-template.ts'
import { detectThoughtFormat } from './thought-format.ts'

const texts = { begin: '', end: '' }
const user = { role: 'user', content: 'Hi' }

for (const [family, template, open] of [
  ['gpt-oss', "{{ '<|start|>assistant<|channel|>analysis<|message|>' + message.thinking }}", '<|channel|>analysis<|message|>'],
  ['Gemma 4', "{{ '<|channel>thought\\n' + thinking_text + '\\n<channel|>' }}", '<|channel>thought'],
  ['Magistral', 'Thoughts stand in [THINK]…[/THINK].', '[THINK]'],
  ['Seed-OSS', "{% set think_end_token = '</seed:think>' %}", '<seed:think>'],
  ['MiniMax M3', "{% set think_end_token = '</mm:think>' %}", '<mm:think>'],
  ['Command R7B', '<|START_THINKING|><|END_THINKING|>', '<|START_THINKING|>'],
  ['Apertus', "{% set outer_token = '<|inner_suffix|>' %}", '<|inner_prefix|>'],
  ['Hunyuan 3', "{% set end = '</think{}>'.format(':opensource') %}", '<think:opensource>'],
  ['Granite 3.3', 'Write your thoughts between <think></think> and your response between <response></response>.', '<think>'],
  ['Apriel', 'after the marker [BEGIN FINAL RESPONSE].', 'Here are my reasoning steps:'],
  ['Solar Open', "{{- '<|begin|>assistant<|think|>' + message.reasoning + '<|end|>' }}", '<|think|>'],
  ['Kimi K3', "{{- '<|close|>' + tag + '<|sep|>' -}}", '<|open|>think<|sep|>'],
  ['Qwen 3', "{% if '</think>' in content %}{% endif %}", '<think>'],
] as const)
  test(`the format of thoughts of ${family} is detected from its template`, () => assert.equal(detectThoughtFormat(template)?.open, open))

test('a template without marks belongs to a model that does not think', () => {
  assert.equal(detectThoughtFormat('{{ messages[0].content }}'), null)
  assert.equal(detectThoughtFormat("{{ '<|channel|>' }}"), null)
})

test('a template receives the reasoning efforts that it supports', () => {
  const template = compileChatTemplate('{{ reasoning_effort }}{# <|channel|>analysis<|message|> #}', texts)
  const prompts = (['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const).map((effort) => template.render([user], [], { effort }))
  assert.deepEqual(prompts, ['low', 'low', 'low', 'medium', 'high', 'high'])
  assert.equal(template.render([user], [], { thinks: false }), 'low')
})

test('an effort of "none" disables thoughts with any template', () => {
  const template = compileChatTemplate('{{ reasoning_effort }}{# <|channel|>analysis<|message|> #}', texts)
  const chat = { type: 'chat', messages: [], tools: [], toolChoice: 'none', parallelToolCalls: true } as const
  assert.equal(thoughtLimit(template, { ...chat, effort: 'none' }, 100), 0)
  assert.equal(thoughtLimit(template, { ...chat, effort: 'low' }, 100), Number.POSITIVE_INFINITY)
})

test('a template with a budget receives it', () => {
  const template = compileChatTemplate('{{ thinking_budget }}{# </seed:think> #}', texts)
  assert.equal(template.render([user], [], { thoughtTokens: 512 }), '512')
  assert.equal(template.render([user], [], { thinks: false }), '0')
  assert.equal(template.render([user], [], { effort: 'none' }), '0')
})
