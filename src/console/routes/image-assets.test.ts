import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { createFakeCatalog, describeFakeImage } from '../../runtimes/fake/fake-catalog.ts'
import type { ImageAssetList } from '../contract/image-assets.ts'

const lora = { kind: 'lora', name: 'ink', file: '/secret/ink.safetensors', family: 'sdxl', bytes: 1, created: 0 } as const
const several = { ...lora, name: 'words', family: null, families: ['flux-dev', 'sd3'], embeds: true, width: 8 } as const

test('assets for image requests are listed without paths of the machine, and only to signed-in users', async () => {
  const service = await startConsoleService({ catalog: createFakeCatalog([describeFakeImage()], [lora, several]) })
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const answer = await service.send('GET', '/console/api/image-assets', { cookie })
  assert.deepEqual(answer.json<ImageAssetList>(), {
    checkpoints: [],
    assets: [
      { kind: 'lora', name: 'ink', label: 'ink', family: 'sdxl' },
      { kind: 'lora', name: 'words', label: 'words', family: null, families: ['flux-dev', 'sd3'], embeds: true, width: 8 },
    ],
  })
  assert.equal((await service.send('GET', '/console/api/image-assets')).statusCode, 401)
})
