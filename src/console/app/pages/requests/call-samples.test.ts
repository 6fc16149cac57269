import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callSamples } from './call-samples.ts'

const namesOf = (samples: ReturnType<typeof callSamples>) => samples.map(({ language }) => language)

test('an image request has a sample for every client that supports images', () => {
  const samples = callSamples('http://s', {
    path: '/generate/sdxl',
    body: { checkpoint: 'm', prompt: "it's", cfg_scale: 5, width: 64, height: 32 },
  })
  assert.deepEqual(namesOf(samples), ['curl', 'curl, asynchronous', 'Python', 'fetch', '@octoai/client', '@octoai/sdk', 'openai'])
  assert.match(samples.find(({ language }) => language === '@octoai/sdk')?.code ?? '', /"cfgScale": 5/)
  assert.match(samples.find(({ language }) => language === 'openai')?.code ?? '', /"size": "64x32"/)
})

test('a chat request has a sample for every client that supports chat', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'He said "hi"' }] }
  const samples = callSamples('http://s', { path: '/v1/chat/completions', body })
  const original = ['@octoai/client', '@octoai/sdk']
  const others = ['JavaScript', 'Python', 'Responses', 'Messages', 'AI SDK', 'LangChain', 'LlamaIndex', ...original]
  assert.deepEqual(namesOf(samples), ['curl', 'curl, asynchronous', ...others])
  for (const { language, code } of samples) assert.match(code, /He said \\"hi\\"/, language)
})

test('a chat request with calls of functions, and without a conversation, has samples', () => {
  const called = { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] }
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }, called, { role: 'tool', content: '1', tool_call_id: 'c' }]
  const samples = callSamples('http://s', { path: '/v1/chat/completions', body: { model: 'm', messages, stream: true } })
  assert.equal(samples.length, 11)
  assert.doesNotMatch(samples.find(({ language }) => language === 'Python')?.code ?? '', /stream/)
  assert.deepEqual(namesOf(callSamples('http://s', { path: '/v1/chat/completions', body: {} })).at(-1), 'fetch')
})

test('null fields of a chat request count as absent in its samples', () => {
  const content = [{ type: 'text', text: 'Hi', image_url: null }]
  const body = { model: 'm', messages: [{ role: 'user', content }], max_tokens: null, temperature: null }
  const samples = callSamples('http://s', { path: '/v1/chat/completions', body })
  assert.equal(samples.length, 11)
  const messages = samples.find(({ language }) => language === 'Messages')?.code ?? ''
  assert.match(messages, /"max_tokens": 512/)
  assert.match(messages, /"content": "Hi"/)
  assert.doesNotMatch(messages, /temperature/)
})

for (const messages of [[null], ['Hi'], [{ role: 'user', content: [null] }]])
  test(`a rejected request with the messages ${JSON.stringify(messages)} has plain HTTP samples`, () => {
    assert.equal(callSamples('http://s', { path: '/v1/chat/completions', body: { model: 'm', messages } }).at(-1)?.language, 'fetch')
  })

test('other requests have plain HTTP samples', () => {
  assert.deepEqual(namesOf(callSamples('http://s', { path: '/v1/embeddings', body: { input: 'x' } })), ['curl', 'Python', 'fetch'])
})
