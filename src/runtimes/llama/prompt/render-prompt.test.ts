import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileChatTemplate } from './chat-template.ts'
import { renderPrompt } from './render-prompt.ts'

const texts = { begin: '', end: '' }
const source = `{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`
const system = { role: 'system', content: 'Be brief.' }
const user = { role: 'user', content: 'Hi' }

test('a system message that the template rejects is put before the first question', () => {
  assert.equal(renderPrompt(compileChatTemplate(source, texts), [system, user], []), '[user]Be brief.\n\nHi')
})

const turns = `{% for m in messages %}{% if not loop.first and messages[loop.index0 - 1].role == m.role and messages[loop.index0 - 1].tool_calls is not defined %}{{ raise_exception('turns') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`
const answer = { role: 'assistant', content: 'Yes?' }

test('consecutive messages of any role are joined if the template requires alternating turns', () => {
  assert.equal(
    renderPrompt(compileChatTemplate(turns, texts), [system, user, { ...user, name: 'ann' }, answer, user], []),
    '[system]Be brief.[user]Hi\n\nHi[assistant]Yes?[user]Hi',
  )
  const call = { type: 'function', id: '1', function: { name: 'now', arguments: {} } } as const
  assert.equal(
    renderPrompt(
      compileChatTemplate(`${turns}{{ messages[2].tool_calls[0].id }}`, texts),
      [system, user, answer, { ...answer, content: '', tool_calls: [call] }, answer],
      [],
    ),
    '[system]Be brief.[user]Hi[assistant]Yes?[assistant]Yes?1',
  )
})

test('empty answers are left out if the template rejects them', () => {
  const strict = `{% for m in messages %}{% if not m.content %}{{ raise_exception('empty') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`
  const silent = { role: 'assistant', content: '', reasoning_content: 'Hm.' }
  assert.equal(renderPrompt(compileChatTemplate(strict, texts), [user, silent, user], []), '[user]Hi\n\nHi')
})

test('a user message after tool results gets an answer before it if the template requires alternating turns', () => {
  const strict = `{% set ns = namespace(n=0) %}{% for m in messages %}{% if m.role == 'user' or (m.role == 'assistant' and m.tool_calls is not defined) %}{% if (m.role == 'user') != (ns.n % 2 == 0) %}{{ raise_exception('turns') }}{% endif %}{% set ns.n = ns.n + 1 %}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}`
  const call = { type: 'function', id: '1', function: { name: 'now', arguments: {} } } as const
  const called = { role: 'assistant', content: '', tool_calls: [call] }
  const result = { role: 'tool', content: 'noon', tool_call_id: '1' }
  assert.equal(
    renderPrompt(compileChatTemplate(strict, texts), [user, called, result, user], []),
    '[user]Hi[assistant][tool]noon[assistant]Done.[user]Hi',
  )
})

test('system messages alone become a question if the template would leave them out', () => {
  const beside = `{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endif %}{% endfor %}>`
  assert.equal(renderPrompt(compileChatTemplate(beside, texts), [system], []), '[user]Be brief.>')
  assert.equal(renderPrompt(compileChatTemplate('nothing', texts), [system], []), 'nothing')
})

test('messages that the template still rejects are rejected with its first reason', () => {
  const template = compileChatTemplate("{{ raise_exception('none of ' ~ messages|length) }}", texts)
  assert.throws(() => renderPrompt(template, [system, user, user], []), { code: 'invalid_request_error', message: /none of 3/ })
})
