import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileChatTemplate } from './chat-template.ts'

const user = { role: 'user', content: 'Hi' }
const tool = { name: 'add', description: null, parameters: { type: 'object' } }

const written: readonly (readonly [what: string, source: string, text: string])[] = [
  ['a loop over missing tools', '{% for tool in tools %}x{% else %}none{% endfor %}', 'none'],
  ['a filtered loop over missing tools', '{% for tool in tools if tool.name %}x{% endfor %}.', '.'],
  ['a loop over an undefined value', '{% for part in messages[0].parts %}x{% endfor %}.', '.'],
  ['a filter of an undefined value', "{{ messages[0].parts | selectattr('type') | list | length }}{{ tools | length }}", '00'],
  ['a loop over the members of an undefined value', '{% for k, v in messages[0].parts | items %}x{% endfor %}.', '.'],
  ['an "in" test on an undefined value', "{{ effort in ['low'] }}{{ effort not in ['low'] }}{{ 'low' in effort }}", 'falsetruefalse'],
  ['a text filter of an undefined value', '[{{ messages[0].name | trim }}]', '[]'],
  ['a member access with a list', "{% set types = {'a': 'b'} %}{{ types[['a']] is defined }}{{ types['a'] }}", 'falseb'],
  [
    'numbers as keys',
    '{% set t = {16: 2, 8: 1} %}{{ t[16] }}{% for k, v in t | dictsort %}[{{ k }}={{ v }}{{ 9 <= k }}]{% endfor %}',
    '2[8=1false][16=2true]',
  ],
  ['a formatted text', "{{ '<{}{}>{0}'.format('a', 1) }}", '<a1>a'],
  ['an object as a string', '{{ messages[0] | string }}', '{"role": "user", "content": "Hi"}'],
  ["Python's words as strings", "{{ [true | string, false | string, none | string, 1 | string] | join(' ') }}", 'True False None 1'],
  ["text filters of Python's words", '[{{ none | trim }}{{ true | lower }}]', '[Nonetrue]'],
  [
    'methods of an object that has members with their names',
    "{% set a = {'items': 1, 'get': 2} %}{% for k, v in a.items() %}{{ k }}{{ v }}{% endfor %}{{ a.get('items') }}{{ a.items }}",
    'items1get211',
  ],
  ['an open slice', '{% for m in messages[1:] %}x{% endfor %}.', '.'],
]
for (const [what, source, text] of written)
  test(`a template may contain ${what}`, () => {
    assert.equal(compileChatTemplate(`${source}{# tools #}`, { begin: '', end: '' }).render([user], []), text)
  })

test('an inner loop is evaluated again in every iteration of the outer one', () => {
  const source =
    '{% for t in tools %}{% for m in messages if m.role == "user" %}{{ t.function.name }}{{ m.content }}{% endfor %}{% endfor %}'
  assert.equal(compileChatTemplate(source, { begin: '', end: '' }).render([user, user], [tool, tool]), 'addHiaddHiaddHiaddHi')
})
