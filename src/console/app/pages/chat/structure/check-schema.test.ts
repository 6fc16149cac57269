import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'

openBrowserPage().kept.set('sepia.language', 'de')
const { schemaFaults } = await import('./check-schema.ts')

test('what is wrong with an answer is said in the language of the page', () => {
  const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } }, required: ['list'] }
  assert.deepEqual(schemaFaults(schema, '{"list": [1, "two"]}'), ['„list[1]“ muss integer sein.'])
  assert.deepEqual(schemaFaults(schema, '7'), ['Die Antwort muss object sein.'])
  assert.deepEqual(schemaFaults(schema, 'seven'), ['Die Antwort ist kein JSON.'])
})
