import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { orderReplicas, type ReplicaView } from './order-replicas.ts'

const now = 1000
const server = (url: string, fields: Partial<ReplicaView> = {}): ReplicaView => ({
  ...{ url, weight: 1, slots: 8, inFlight: 0, downUntil: null, avoidedUntil: 0 },
  ...fields,
})
const keys = Array.from({ length: 3000 }, (_, index) => `account ${index % 7}\nconversation ${index}`)
const first = (replicas: readonly ReplicaView[], key: string) => orderReplicas(replicas, { key, now })[0]

describe('orderReplicas', () => {
  test('keeps a conversation on its server when other servers come and go', () => {
    const three = ['a', 'b', 'c'].map((url) => server(url))
    const four = [...three, server('d')]
    const moved = keys.filter((key) => first(three, key) !== first(four, key))
    assert.ok(moved.every((key) => first(four, key) === 3))
    assert.ok(moved.length > keys.length / 6 && moved.length < keys.length / 3, `${moved.length} of ${keys.length} moved`)
  })

  test('shares conversations by weight', () => {
    const replicas = [server('a', { weight: 3 }), server('b')]
    const share = keys.filter((key) => first(replicas, key) === 0).length / keys.length
    assert.ok(share > 0.7 && share < 0.8, String(share))
  })

  test('moves from a server that carries over 1.25 times its share to the least loaded one', () => {
    const replicas = [server('a', { inFlight: 4 }), server('b', { inFlight: 1 }), server('c', { inFlight: 2 })]
    for (const key of keys) assert.notEqual(first(replicas, key), 0)
    const full = [server('a', { inFlight: 5 }), server('b', { inFlight: 4, weight: 4 }), server('c', { inFlight: 0 })]
    assert.deepEqual(orderReplicas(full, { key: 'k', now }).at(-1), 0)
  })

  const tiers: readonly [name: string, replicas: readonly ReplicaView[], order: readonly number[]][] = [
    ['one that is down is not asked', [server('a', { downUntil: 2000 }), server('b')], [1]],
    ['one that is down and due is asked last', [server('a', { downUntil: 1000 }), server('b', { avoidedUntil: 2000 })], [1, 0]],
    [
      'one that is down and due is tried by one at a time',
      [server('a', { downUntil: 1000, inFlight: 1 }), server('b', { inFlight: 8 })],
      [1],
    ],
    ['one that just failed comes after the others', [server('a', { avoidedUntil: 1001 }), server('b', { inFlight: 3 })], [1, 0]],
    ['one without room comes after the others', [server('a', { inFlight: 8 }), server('b', { inFlight: 7 })], [1, 0]],
    ['no server is tried when all are down', [server('a', { downUntil: 1001 }), server('b', { downUntil: 5000 })], []],
    ['the only one is asked however full it is', [server('a', { inFlight: 80, avoidedUntil: 5000 })], [0]],
  ]
  for (const [name, replicas, order] of tiers) {
    test(name, () => {
      for (const key of keys.slice(0, 50)) assert.deepEqual(orderReplicas(replicas, { key, now }), order)
    })
  }
})
