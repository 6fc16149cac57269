import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileChatTemplate } from './chat-template.ts'
import { renderPrompt } from './render-prompt.ts'

const texts = { begin: '', end: '' }
const source = `{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`
const system = { role: 'system', content: 'Be brief.' }
const user = { role: 'user', content: 'Hi' }

test('a system message that the template refuses goes before the first question', () => {
  assert.equal(renderPrompt(compileChatTemplate(source, texts), [system, user], []), '[user]Be brief.\n\nHi')
})

test('what the template refuses all the same stays refused', () => {
  const template = compileChatTemplate(source, texts)
  assert.throws(() => renderPrompt(template, [system, user, system], []), { code: 'invalid_request_error' })
  assert.throws(() => renderPrompt(template, [user, system], []), { code: 'invalid_request_error' })
})
