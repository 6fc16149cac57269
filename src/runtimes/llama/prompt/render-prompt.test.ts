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

test('messages in a row are one where the template insists on turns', () => {
  const turns = `{% for m in messages %}{% if m.role != 'system' and (m.role == 'user') != (loop.index0 % 2 == 1) %}{{ raise_exception('turns') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`
  const answer = { role: 'assistant', content: 'Yes?' }
  assert.equal(
    renderPrompt(compileChatTemplate(turns, texts), [system, user, user, answer, user], []),
    '[system]Be brief.[user]Hi\n\nHi[assistant]Yes?[user]Hi',
  )
})

test('what the template refuses all the same stays refused, for its first reason', () => {
  const template = compileChatTemplate("{{ raise_exception('none of ' ~ messages|length) }}", texts)
  assert.throws(() => renderPrompt(template, [system, user, user], []), { code: 'invalid_request_error', message: /none of 3/ })
})
