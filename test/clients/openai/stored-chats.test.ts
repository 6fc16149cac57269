import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import OpenAI from 'openai'
import { startHttpService } from '../../support/http-service.ts'

const ask = (content: string, fields: object = {}) => ({
  model: 'fake-chat',
  messages: [{ role: 'user' as const, content }],
  store: true,
  ...fields,
})

async function startService(): Promise<{ client: OpenAI } & AsyncDisposable> {
  const service = await startHttpService()
  const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 })
  return { client, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

suite('stored chat completions', () => {
  test('an answer is stored unchanged, with its metadata and messages', async () => {
    await using started = await startService()
    const { client } = started
    const parts = [
      { type: 'text' as const, text: '[say' },
      { type: 'text' as const, text: 'two]' },
    ]
    const made = await client.chat.completions.create({
      ...ask(''),
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: parts },
      ],
      metadata: { topic: 'cats' },
    })
    assert.deepEqual(made.metadata, { topic: 'cats' })
    assert.deepEqual(await client.chat.completions.retrieve(made.id), made)
    const messages = await client.chat.completions.messages.list(made.id)
    assert.deepEqual(messages.data, [
      { role: 'system', content: 'Be brief.', content_parts: null, id: `${made.id}-0` },
      { role: 'user', content: null, content_parts: parts, id: `${made.id}-1` },
    ])
    const [second] = (await client.chat.completions.messages.list(made.id, { limit: 1, order: 'desc' })).data
    assert.equal(second?.id, `${made.id}-1`)
    const rest = await client.chat.completions.messages.list(made.id, { after: `${made.id}-0` })
    assert.deepEqual(
      rest.data.map(({ id }) => id),
      [`${made.id}-1`],
    )
  })

  test('a streamed answer is stored whole before its stream ends', async () => {
    await using started = await startService()
    const { client } = started
    let text = ''
    let id = ''
    for await (const chunk of await client.chat.completions.create({ ...ask('[say one two three]'), stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
      id = chunk.id
    }
    const kept = await client.chat.completions.retrieve(id)
    assert.deepEqual([kept.object, kept.choices[0]?.message.content], ['chat.completion', text])
  })

  test('nothing is stored unless requested, and metadata is returned regardless', async () => {
    await using started = await startService()
    const { client } = started
    const plain = await client.chat.completions.create(ask('[say one]', { store: false, metadata: { a: 'b' } }))
    assert.deepEqual(plain.metadata, { a: 'b' })
    assert.equal('metadata' in (await client.chat.completions.create(ask('[say one]', { store: null }))), false)
    assert.deepEqual((await client.chat.completions.list()).data, [])
    await assert.rejects(client.chat.completions.retrieve(plain.id), OpenAI.NotFoundError)
  })

  test('the client lists, changes and deletes answers', async () => {
    await using started = await startService()
    const { completions } = started.client.chat
    const ids: string[] = []
    for (const topic of ['a', 'b', 'a']) ids.push((await completions.create(ask('[say one]', { metadata: { topic } }))).id)
    const listed = await Array.fromAsync(completions.list({ limit: 1, metadata: { topic: 'a' } }))
    assert.deepEqual(listed.map(({ id }) => ids.indexOf(id)).toSorted(), [0, 2])
    const [id = ''] = ids
    assert.deepEqual((await completions.update(id, { metadata: { c: 'd' } })).metadata, { c: 'd' })
    assert.equal((await completions.delete(id)).deleted, true)
    await assert.rejects(completions.retrieve(id), OpenAI.NotFoundError)
  })
})
