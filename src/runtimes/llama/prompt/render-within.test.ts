import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Template } from '@huggingface/jinja'
import { RenderTimeout, renderWithin } from './render-within.ts'

const endless = new Template(`${'{% for i in range(100000) %}'.repeat(3)}${'{% endfor %}'.repeat(3)}`)

test('a template renders as it would without a limit', () => {
  for (const text of [
    'Hello {{ name }}',
    '{% for i in range(2, 9, 3) %}{{ i }} {% endfor %}{{ range(2) | join }} {{ range(3, 0, -2) | join }} {{ range(2, 1) | length }}',
    "{{ strftime_now('%d %B %Y') }} {{ none is none and None is none }} {{ true and True and not false and not False }}",
  ]) {
    const template = new Template(text)
    assert.equal(renderWithin(60_000, template, { name: 'Ada' }), template.render({ name: 'Ada' }))
  }
})

test('nested loops are stopped, even if they are empty', () => {
  assert.throws(() => renderWithin(20, endless, {}), RenderTimeout)
})

test('time during which the process is paused does not count', () => {
  const pause = (): string => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
  assert.equal(renderWithin(20, new Template('{{ pause() }} {{ pause() }}'), { pause }), 'timed-out timed-out')
})

test('macros that call each other endlessly are stopped', () => {
  const template = new Template('{% macro again() %}{{ again() }}{{ again() }}{% endmacro %}{{ again() }}')
  assert.throws(() => renderWithin(20, template, {}))
})

test('exceptions raised by a template are passed on', () => {
  const template = new Template("{{ raise_exception('roles must alternate') }}")
  assert.throws(() => renderWithin(60_000, template, {}), /roles must alternate/)
})

test('a list that would fill memory is rejected', () => {
  for (const range of ['range(1000000000)', 'range(0, 9, 0)', 'range(0, 1, 0.0000001)'])
    assert.throws(() => renderWithin(60_000, new Template(`{{ ${range} | length }}`), {}), /at most 100000/)
})

test('a stopped template does not reduce the time of the next one', () => {
  assert.throws(() => renderWithin(20, endless, {}))
  assert.equal(renderWithin(60_000, new Template('{{ 6 * 7 }}'), {}), '42')
})
