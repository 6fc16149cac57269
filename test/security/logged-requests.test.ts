import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBodies, keepBody } from '../../src/operations/bodies/kept-bodies.ts'
import { createMemoryBodyKeys } from '../support/memory/create-memory-body-keys.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../support/memory/create-memory-store.ts'
import { createTestClock } from '../support/test-clock.ts'

const options = { signal: new AbortController().signal }

// Tests of access are beside the routes (request-logs.test.ts), those of storage in test/conformance/kept-bodies.ts.
test('a changed, truncated or exchanged body is detected', async () => {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const keys = createMemoryBodyKeys()
  const deps = { documents, outputs: createMemoryOutputs({ clock }), keys }
  const keep = async (accountId: string, requestId: string) => {
    const text = Buffer.from(`the words of ${accountId}`)
    const body = {
      accountId,
      requestId,
      exchange: 'e',
      part: 'request',
      path: '/x',
      contentType: null,
      status: null,
      length: text.length,
      pieces: [text],
    } as const
    await keepBody(deps, { key: keys.current() ?? keys.make(), body, at: clock.now(), keepMs: 1e9, most: 1e6 }, options)
    const query = { kind: 'request-body', accountId: `request-log:${accountId}`, order: 'newest', after: null, limit: 1 } as const
    const [document] = await documents.list(query, options)
    assert.ok(document)
    return document
  }
  const [mine, theirs] = [await keep('a', 'r'), await keep('b', 'r')]
  const forge = async (value: object) => {
    const { version: _, bytes: __, ...rest } = mine
    await documents.put({ ...rest, text: '', value: { ...(mine.value as object), ...value } }, { ...options, most: 1e6 })
    return (await findBodies(deps, { accountId: 'a', requestId: 'r' }, options)).map((body) =>
      'unreadable' in body ? body.unreadable : 'read',
    )
  }
  const { sealed } = mine.value as { readonly sealed: string }
  assert.deepEqual(await forge({}), ['read'])
  const bytes = Buffer.from(sealed, 'base64')
  for (const place of [0, 12, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] ?? 0) ^ 1
    assert.deepEqual(await forge({ sealed: changed.toString('base64') }), ['damaged'], `byte ${place}`)
  }
  for (const length of [0, 5, 12, 27, bytes.length - 1])
    assert.deepEqual(await forge({ sealed: bytes.subarray(0, length).toString('base64') }), ['damaged'], `${length} bytes`)
  assert.deepEqual(await forge({ sealed: (theirs.value as { readonly sealed: string }).sealed }), ['damaged'])
})
