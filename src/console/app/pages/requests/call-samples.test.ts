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
  const expected = ['openai', '@anthropic-ai/sdk', '@octoai/client', '@octoai/sdk', 'ai', 'LangChain', 'LlamaIndex']
  assert.deepEqual(namesOf(samples), ['curl', 'curl, asynchronous', 'Python', 'fetch', ...expected])
  for (const { language, code } of samples) assert.match(code, /He said \\"hi\\"/, language)
})

test('other requests have plain HTTP samples', () => {
  assert.deepEqual(namesOf(callSamples('http://s', { path: '/v1/embeddings', body: { input: 'x' } })), ['curl', 'Python', 'fetch'])
})
