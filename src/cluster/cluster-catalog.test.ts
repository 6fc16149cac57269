import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AssetDescriptor } from '../core/assets/asset.ts'
import type { ModelDescriptor } from '../core/model.ts'
import { createFakeCatalog, describeFakeImage, describeFakeText } from '../runtimes/fake/fake-catalog.ts'
import { createClusterCatalog } from './cluster-catalog.ts'

const asset = (name: string, file: string) => ({ kind: 'lora', name, file }) as unknown as AssetDescriptor
const viewOf = (...offers: readonly { readonly models?: readonly ModelDescriptor[]; readonly assets?: readonly AssetDescriptor[] }[]) => ({
  offers: () => offers.map(({ models = [], assets = [] }) => ({ models, assets })),
})

test('models and assets of all nodes are found, those of this node first', () => {
  const [own, theirs] = [describeFakeText({ name: 'Own' }), describeFakeText({ name: 'Theirs' })]
  const image = describeFakeImage()
  const view = viewOf({ models: [theirs], assets: [asset('a', '/1'), asset('b', '/1')] }, { models: [image], assets: [asset('b', '/2')] })
  const catalog = createClusterCatalog(view, createFakeCatalog([own], [asset('a', '/own')]))
  assert.deepEqual(
    catalog.list().map(({ name }) => name),
    ['Own', 'Fake Image'],
  )
  assert.equal(catalog.find('fake-chat')?.name, 'Own')
  assert.equal(catalog.find('fake-image'), image)
  assert.equal(catalog.find('nobody'), undefined)
  assert.equal(catalog.defaultImageModel(), image)
  assert.equal(
    catalog.defaultImageModel(() => false),
    undefined,
  )
  assert.deepEqual(catalog.listAssets(), [asset('a', '/own'), asset('b', '/1')])
  assert.deepEqual(catalog.findAsset('lora', 'b'), asset('b', '/1'))
  assert.equal(catalog.findAsset('lora', 'c'), undefined)
  assert.equal(catalog.findUnusable('nobody'), undefined)
})

test('a hidden image model of another node is no default', () => {
  const catalog = createClusterCatalog(viewOf({ models: [describeFakeImage({ hidden: true }), describeFakeImage({ id: 'shown' })] }), null)
  assert.equal(catalog.defaultImageModel()?.id, 'shown')
})

test('a node that only answers reports that no other node can run its models', () => {
  assert.match(createClusterCatalog(viewOf(), null).findUnusable('any')?.reason ?? '', /role api and no other node exists/)
  assert.equal(createClusterCatalog(viewOf({}), null).findUnusable('any'), undefined)
})
