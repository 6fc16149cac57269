import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { assertRejected } from '../../test/support/wire/assert-refused.ts'
import { ServiceError } from '../core/error.ts'
import type { ImageProgress, ImageResult } from '../core/image-generation.ts'
import type { ImageModel } from '../core/ports/image-model.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { TextPart } from '../core/text-generation.ts'
import { NodeLost } from './lease-wire.ts'
import { rerouteImage, rerouteText } from './reroute.ts'

const options = { signal: new AbortController().signal, account: 'a' }

suite('a text whose node is lost', () => {
  const done: TextPart = { type: 'finish', usage: { promptTokens: 1, completionTokens: 0, cachedTokens: 0 } }
  const textPart = (text: string): TextPart => ({ type: 'text', choice: 0, text })

  /** A model on each node, in the order in which they are asked, and which leases were given back. */
  function place(...models: readonly Partial<TextModel>[]) {
    const given: string[] = []
    const excluded: string[][] = []
    let at = 0
    return {
      given,
      excluded,
      open: async (tried: Set<string>) => {
        excluded.push([...tried])
        const node = `n${at}`
        const model = { embed: async () => ({ vectors: [], promptTokens: 0 }), ...models[at++] } as TextModel
        if (at > models.length) throw new ServiceError('server_is_overloaded', 'Nobody is left.')
        return { node, model, [Symbol.asyncDispose]: async () => void given.push(node) }
      },
    }
  }
  const losing = (node: string, ...parts: readonly TextPart[]) =>
    async function* () {
      yield* parts
      throw new NodeLost(node, new Error('gone'))
    }
  const answering = async function* () {
    yield textPart('hello')
    yield done
  }

  test('moves to another node if no part has arrived yet', async () => {
    const nodes = place({ generate: losing('n0') }, { generate: losing('n1') }, { generate: answering })
    {
      await using lease = await rerouteText(nodes.open)
      assert.deepEqual(await Array.fromAsync(lease.model.generate(makeTextRequest('a'), options)), [textPart('hello'), done])
    }
    assert.deepEqual(nodes.excluded, [[], ['n0'], ['n0', 'n1']])
    assert.deepEqual(nodes.given, ['n0', 'n1', 'n2'])
  })

  test('fails once a part has arrived, or when no node is left', async () => {
    const begun = await rerouteText(place({ generate: losing('n0', textPart('hel')) }, { generate: answering }).open)
    const lost = await Array.fromAsync(begun.model.generate(makeTextRequest('a'), options)).catch((error: unknown) => error)
    assert.ok(lost instanceof NodeLost)
    assert.deepEqual([lost.code, lost.retryAfterSeconds, lost.nodeId], ['server_is_overloaded', 1, 'n0'])
    const alone = await rerouteText(place({ generate: losing('n0') }).open)
    await assertRejected(Array.fromAsync(alone.model.generate(makeTextRequest('a'), options)), { code: 'server_is_overloaded' })
  })

  test('continues on the node to which another call on its slot moved, and excludes no healthy node', async () => {
    const gone = Promise.withResolvers<void>()
    const both = async () => {
      await gone.promise
      throw new NodeLost('n0', new Error('gone'))
    }
    const slow = Promise.withResolvers<number>()
    const nodes = place({ countPrompt: both }, { countPrompt: () => slow.promise }, { countPrompt: async () => 0 })
    await using lease = await rerouteText(nodes.open)
    const calls = ['a', 'b', 'c'].map((text) => lease.model.countPrompt?.(makeTextRequest(text), options))
    gone.resolve()
    slow.resolve(5)
    assert.deepEqual(await Promise.all(calls), [5, 5, 5])
    assert.deepEqual([nodes.excluded, nodes.given], [[[], ['n0']], ['n0']])
  })

  test('is lost for every call on its slot when no node is left, and its slot is given back once', async () => {
    const nodes = place({
      countPrompt: async () => {
        throw new NodeLost('n0', new Error('gone'))
      },
    })
    const lease = await rerouteText(nodes.open)
    const calls = ['a', 'b'].map((text) => lease.model.countPrompt?.(makeTextRequest(text), options) ?? Promise.resolve(0))
    for (const { status } of await Promise.allSettled(calls)) assert.equal(status, 'rejected')
    await lease[Symbol.asyncDispose]()
    assert.deepEqual(nodes.given, ['n0'])
  })

  test('gives back the slot that comes when its caller has left meanwhile', async () => {
    const coming = Promise.withResolvers<void>()
    const nodes = place(
      {
        countPrompt: async () => {
          throw new NodeLost('n0', new Error('gone'))
        },
      },
      { countPrompt: async () => 5 },
    )
    const requested = Promise.withResolvers<void>()
    const lease = await rerouteText(async (excluded) => {
      if (excluded.size === 0) return nodes.open(excluded)
      requested.resolve()
      await coming.promise
      return nodes.open(excluded)
    })
    const call = lease.model.countPrompt?.(makeTextRequest('a'), options)
    await requested.promise
    const left = lease[Symbol.asyncDispose]()
    coming.resolve()
    await Promise.allSettled([call, left])
    assert.deepEqual(nodes.given, ['n0', 'n1'])
  })

  test('does not move for errors of the model itself', async () => {
    const nodes = place({
      embed: async () => {
        throw new ServiceError('context_length_exceeded', 'Too long.')
      },
    })
    const lease = await rerouteText(nodes.open)
    await assertRejected(lease.model.embed({ model: 'm', inputs: ['a'] }, options), { code: 'context_length_exceeded' })
    assert.deepEqual(nodes.given, [])
  })

  test('keeps the capabilities of the first node’s model, and fails clearly if the next node lacks one', async () => {
    const lost = async () => {
      throw new NodeLost('n0', new Error('gone'))
    }
    const lease = await rerouteText(place({ contextLength: 8, countPrompt: lost }, { countPrompt: async () => 5 }).open)
    assert.deepEqual([lease.model.contextLength, lease.model.rank, lease.model.tokenize], [8, undefined, undefined])
    assert.equal(await lease.model.countPrompt?.(makeTextRequest('a'), options), 5)
    const lacking = await rerouteText(place({ countPrompt: lost }, {}).open)
    await assert.rejects(
      lacking.model.countPrompt?.(makeTextRequest('a'), options) ?? Promise.resolve(),
      /cannot do what the lost one could/,
    )
  })
})

suite('a picture whose node is lost', () => {
  const drawn: ImageResult = { images: [], computeMs: 1 }
  /** Tells how far it is on the first node, which is lost then, and draws on the second. */
  async function drawLosing(progress: ImageProgress) {
    const reported: ImageProgress[] = []
    const losing: ImageModel['generate'] = async (_request, { onProgress }) => {
      onProgress(progress)
      throw new NodeLost('n0', new Error('gone'))
    }
    const models = [losing, async () => drawn]
    const lease = await rerouteImage(async ({ size }) => ({
      node: `n${size}`,
      model: { generate: models[size] ?? losing },
      [Symbol.asyncDispose]: async () => {},
    }))
    return {
      reported,
      result: lease.model.generate(makeImageRequest('a lamp'), { ...options, onProgress: (each) => void reported.push(each) }),
    }
  }

  test('is drawn on another node if no preview was sent yet', async () => {
    const { result, reported } = await drawLosing({ step: 3, total: 4 })
    assert.equal(await result, drawn)
    assert.equal(reported.length, 1)
  })

  test('has failed once a preview has been shown', async () => {
    const { result } = await drawLosing({ step: 3, total: 4, preview: Uint8Array.of(1) })
    await assertRejected(result, { code: 'server_is_overloaded' })
  })
})
