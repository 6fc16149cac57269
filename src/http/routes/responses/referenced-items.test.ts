import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { assertRejected } from '../../../../test/support/wire/assert-refused.ts'
import { neverAborted } from '../../../core/waiting.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import { itemId } from '../../wire/responses/output-items.ts'
import { itemsBefore } from './kept-response.ts'
import { withReferencedItems } from './referenced-items.ts'

const [first = '', second = ''] = ['a', 'b'].map((digit) => `resp_${digit.repeat(32)}`)
const idOf = (response: string, place: number) => itemId('message', { response, place })
const reference = (response: string, place: number) => ({ type: 'item_reference', id: idOf(response, place) })

/** An account with two stored responses of two items each, of which the second continues the first; `onRead` is called before each is read. */
function stored(onRead: (id: string) => void): RouteDependencies {
  const get = async ({ id, accountId }: { readonly id: string; readonly accountId: string }) => {
    onRead(id)
    if (accountId !== 'ada' || (id !== first && id !== second)) return null
    const output = [0, 1].map((place) => ({ type: 'message', id: idOf(id, place) }))
    const body = id === second ? { previous_response_id: first } : {}
    return { value: { response: { id, status: 'completed', output }, input: [], body, inference: null } }
  }
  return { documents: { get } } as unknown as RouteDependencies
}

suite('items of stored responses', () => {
  const body = { model: 'm', input: [reference(first, 0), 'Hi', reference(second, 1), reference(first, 0)] }
  const ways = {
    'by reference': (deps: RouteDependencies, options = neverAborted) =>
      withReferencedItems(deps, { accountId: 'ada', body, take: () => {} }, options),
    'of a continued conversation': (deps: RouteDependencies, options = neverAborted) =>
      itemsBefore(deps, { accountId: 'ada', previous: second }, () => {}, options),
  }
  for (const [way, read] of Object.entries(ways)) {
    test(`other requests get their turn between two responses (${way})`, async () => {
      const order: string[] = []
      const other = Promise.withResolvers<void>()
      const deps = stored(() => {
        order.push('read')
        if (order.length > 1) return
        setImmediate().then(() => {
          order.push('other')
          other.resolve()
        }, other.reject)
      })
      await read(deps)
      await other.promise
      assert.deepEqual(order, ['read', 'other', 'read'])
    })

    test(`a client that leaves ends the reading (${way})`, async () => {
      const left = new AbortController()
      let count = 0
      const deps = stored(() => {
        count++
        left.abort(new Error('gone'))
      })
      await assert.rejects(read(deps, left), /gone/)
      assert.equal(count, 1)
    })
  }

  test('a response of another service cannot be continued, without a call to the store', async () => {
    const reads: string[] = []
    const deps = stored((id) => reads.push(id))
    for (const previous of ['resp_0695fe81fd9f5ed1016a55e272d1d8819489ccfa633440a88b', 'chatcmpl-1', ''])
      await assertRejected(
        itemsBefore(deps, { accountId: 'ada', previous }, () => {}, neverAborted),
        { code: 'invalid_request_error', param: 'previous_response_id', says: /send the conversation as `input`/ },
      )
    assert.deepEqual(reads, [])
  })

  test('only referenced items count, as often as they are referenced', async () => {
    let bytes = 0
    const reads: string[] = []
    const deps = stored((id) => reads.push(id))
    const take = (count: number): void => {
      bytes += count
    }
    const whole = await withReferencedItems(deps, { accountId: 'ada', body, take }, neverAborted)
    const items = [idOf(first, 0), idOf(second, 1), idOf(first, 0)].map((id) => ({ type: 'message', id }))
    assert.deepEqual(whole, { ...body, input: [items[0], 'Hi', items[1], items[2]] })
    // Without brackets and commas.
    assert.deepEqual([bytes, reads], [JSON.stringify(items).length - 4, [first, second]])
  })

  test('those of other accounts are not found', async () => {
    const deps = stored(() => {})
    const fault = { code: 'invalid_request_error', param: 'input[0]' }
    await assert.rejects(withReferencedItems(deps, { accountId: 'bob', body, take: () => {} }, neverAborted), fault)
  })
})
