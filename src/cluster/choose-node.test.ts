import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseNode, type NodeView } from './choose-node.ts'

type State = NodeView['model']['state']
const node = (id: string, state: State = 'loaded', inUse = 0, more: Partial<NodeView> & { readonly slots?: number } = {}): NodeView => ({
  id,
  draining: false,
  held: 0,
  ...more,
  model: { state, slots: more.slots ?? 2, inUse, waiting: 0 },
})
const none = new Set<string>()
const anybody = { key: null, excluded: none }

const cases: readonly (readonly [what: string, nodes: readonly NodeView[], chosen: string | null])[] = [
  ['nobody', [], null],
  ['the least loaded of those that have the model', [node('a', 'loaded', 2), node('b', 'loaded', 1), node('c', 'unloaded')], 'b'],
  ['a node that loads it already before one that would have to', [node('a', 'unloaded'), node('b', 'loading', 1)], 'b'],
  ['a node that must load it, once the others have twice their slots to do', [node('a', 'loaded', 4), node('b', 'unloaded')], 'b'],
  ['a buried node before one on which the model crashes', [node('a', 'loaded', 9), node('b', 'backing-off')], 'a'],
  ['the crashing one when it is the only one', [node('b', 'backing-off')], 'b'],
  ['not one that drains', [node('a', 'loaded', 0, { draining: true }), node('b', 'loaded', 3)], 'b'],
  ['what we hold ourselves where its report is older', [node('a', 'loaded', 0, { held: 2 }), node('b', 'loaded', 1)], 'b'],
  ['by the share of its slots', [node('a', 'loaded', 2, { slots: 8 }), node('b', 'loaded', 1)], 'a'],
]

for (const [what, nodes, chosen] of cases)
  test(`chooses ${what}`, () => {
    assert.equal(chooseNode(nodes, anybody), chosen)
    assert.equal(chooseNode([...nodes].reverse(), anybody), chosen)
  })

test('a node that failed is not tried again', () => {
  assert.equal(chooseNode([node('a'), node('b', 'loaded', 1)], { key: null, excluded: new Set(['a']) }), 'b')
  assert.equal(chooseNode([node('a')], { key: null, excluded: new Set(['a']) }), null)
})

test('conversations are spread over all nodes and stay there; only those of a leaving node move', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id, 'loaded', 0, { slots: 1000 }))
  const keys = Array.from({ length: 1000 }, (_, index) => `conversation ${index}`)
  const place = (of: readonly NodeView[]) => keys.map((key) => chooseNode(of, { key, excluded: none }))
  const before = place(nodes)
  const after = place(nodes.slice(1))
  for (const { id } of nodes) assert.ok(before.filter((chosen) => chosen === id).length > 180, id)
  assert.equal(before.filter((chosen, index) => chosen !== 'a' && chosen !== after[index]).length, 0)
})

test('a conversation stays where a slot is free, although the last report still counts its previous turn', () => {
  const ids = ['a', 'b', 'c']
  const idle = ids.map((id) => node(id, 'loaded', 0, { slots: 100 }))
  for (let index = 0; index < 30; index++) {
    const key = `conversation ${index}`
    const home = chooseNode(idle, { key, excluded: none })
    const reported = ids.map((id) => node(id, 'loaded', id === home ? 1 : 0, { slots: 100 }))
    assert.equal(chooseNode(reported, { key, excluded: none }), home)
  }
})

test('a node with more than its share loses conversations to the least loaded', () => {
  const home = chooseNode([node('a'), node('b'), node('c')], { key: 'k', excluded: none })
  const crowded = ['a', 'b', 'c'].map((id) => node(id, 'loaded', id === home ? 3 : id === 'c' || (home === 'c' && id === 'b') ? 0 : 1))
  const moved = chooseNode(crowded, { key: 'k', excluded: none })
  assert.notEqual(moved, home)
})
