import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileChatTemplate } from './chat-template.ts'

const texts = { begin: '', end: '' }
const rule = (content: string) => ({ role: 'system', content })
const user = { role: 'user', content: 'Hi' }
const conversation = [rule('A'), rule('B'), user, { role: 'assistant', content: 'Yes?' }, rule('C'), user]

const gathered = '[A\n\nB\n\nC]uHiaYes?uHi'
for (const [what, source, text] of [
  [
    'leaves out',
    '[{{ messages[0].content }}]{% for m in messages[1:] %}{% if m.role != "system" %}{{ m.role[0] }}{{ m.content }}{% endif %}{% endfor %}',
    gathered,
  ],
  [
    'keeps only the last of',
    '{% set ns = namespace(rules="") %}{% for m in messages %}{% if m.role == "system" %}{% set ns.rules = m.content %}{% endif %}{% endfor %}[{{ ns.rules }}]{% for m in messages %}{% if m.role != "system" %}{{ m.role[0] }}{{ m.content }}{% endif %}{% endfor %}',
    gathered,
  ],
  [
    'rejects',
    '{% for m in messages %}{% if m.role == "system" %}{% if not loop.first %}{{ raise_exception("no") }}{% endif %}[{{ m.content }}]{% else %}{{ m.role[0] }}{{ m.content }}{% endif %}{% endfor %}',
    gathered,
  ],
  ['shows', '{% for m in messages %}{{ m.role[0] }}{{ m.content }}{% endfor %}', 'sAsBuHiaYes?sCuHi'],
] as const)
  test(`a template that ${what} system messages after the first has all of them in its prompt`, () => {
    assert.equal(compileChatTemplate(source, texts).render(conversation, []), text)
  })

test('system messages after the last answer become a user message if the template does not support them there', () => {
  const source =
    '{% for m in messages %}{% if m.role == "system" and not loop.first %}{{ raise_exception("no") }}{% endif %}{{ m.role[0] }}{{ m.content }}{% endfor %}'
  const answer = { role: 'assistant', content: 'Yes?' }
  const template = compileChatTemplate(source, texts)
  assert.equal(template.render([rule('A'), user, answer, rule('B'), rule('C')], []), 'sAuHiaYes?uB\n\nC')
  assert.equal(template.render([rule('A'), user, rule('B')], []), 'sA\n\nBuHi')
  assert.equal(template.render([rule('A'), rule('B')], []), 'sA\n\nB')
})
