import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../../core/error.ts'
import { compileChatTemplate, toTemplateMessage } from './chat-template.ts'

const texts = { begin: '<s>', end: '</s>' }
const user = { role: 'user', content: 'Hi' }

test('the template receives messages, the begin token and the generation prompt', () => {
  const template = compileChatTemplate(
    '{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}>{% endif %}',
    texts,
  )
  assert.equal(template.render([user], []), '<s>[user]Hi>')
})

test('a file without a template uses ChatML', () => {
  assert.equal(compileChatTemplate(null, texts).render([user], []), '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n')
})

test('a template that rejects the messages is the client’s error', () => {
  const template = compileChatTemplate("{{ raise_exception('roles must alternate') }}", texts)
  assert.throws(
    () => template.render([user], []),
    (error) => error instanceof ServiceError && error.code === 'invalid_request_error' && /roles must alternate/.test(error.message),
  )
})

test('a template that expects lists of parts gets them, and one that supports both gets text', () => {
  const typed =
    '{% for m in messages %}[{{ m.role }}]{% for part in m.content %}{% if part.type == "text" %}{{ part.text }}{% endif %}{% endfor %}{% endfor %}'
  assert.equal(
    compileChatTemplate(typed, texts).render([user, { role: 'assistant', content: '' }, user], []),
    '[user]Hi[assistant][user]Hi',
  )
  const both = '{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}list{% endif %}{% endfor %}'
  assert.equal(compileChatTemplate(both, texts).render([user], []), 'Hi')
})

test('a template may use older names for the current date', () => {
  const template = compileChatTemplate('{{ date_string }}|{{ datetime }}', texts)
  assert.match(template.render([user], []), /^\d\d \w{3} \d{4}\|\w{3} \d\d \d{4}$/)
})

test('a template with an endless loop is stopped', () => {
  const template = compileChatTemplate('{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}', texts)
  assert.throws(
    () => template.render([user], []),
    (error) => error instanceof ServiceError && error.code === 'inference_failed',
  )
})

test('a template with unlimited output is rejected', () => {
  const template = compileChatTemplate(`{% for i in range(500) %}{{ "${'0123456789'.repeat(100)}" }}{% endfor %}`, texts)
  assert.throws(() => template.render([user], []), /characters/)
})

test('an overlong template is rejected when the model loads', () => {
  assert.throws(() => compileChatTemplate('x'.repeat(300_000), texts), /300000 characters/)
})

test('tool calls reach the template with parsed arguments', () => {
  const message = toTemplateMessage(
    { role: 'assistant', content: null, toolCalls: [{ id: '1', name: 'add', arguments: '{"a":1}' }] },
    (text) => text,
  )
  assert.deepEqual(message.tool_calls?.[0]?.function, { name: 'add', arguments: { a: 1 } })
})

test('a call without arguments has none', () => {
  const message = toTemplateMessage(
    { role: 'assistant', content: null, toolCalls: [{ id: '1', name: 'now', arguments: '' }] },
    (text) => text,
  )
  assert.deepEqual(message.tool_calls?.[0]?.function, { name: 'now', arguments: {} })
})
