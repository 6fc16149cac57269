import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startServiceIn } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { softwareVulkan, withoutVulkan } from './software-drivers.ts'

describe('text on Vulkan', { skip: withoutVulkan }, () => {
  it('is correct with every layer on the device, which is reported', async () => {
    await using data = await createTemporaryFolder()
    await using service = await startServiceIn(softwareVulkan(data.path), data.path, '--gpu', 'vulkan', '--run-limit', '15m')
    const token = /sepia_\w+/.exec(service.greeting)?.[0]
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const loaded = service.logged('model loaded')
    const answer = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        model: 'sepia-mini-chat',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
        temperature: 0,
      }),
    })
    const { choices } = (await answer.json()) as { choices: readonly { readonly message: { readonly content: string } }[] }
    assert.equal(choices[0]?.message.content, 'The capital of France is Paris.')

    const { device } = (await loaded) as { device?: { backend: string; name: string; layers?: unknown } }
    assert.equal(device?.backend, 'vulkan')
    assert.match(device.name, /llvmpipe/)
    assert.equal(device.layers, undefined, 'a part of the layers stayed on the processor')
    const models = (await (await fetch(`${service.url}/v1/models/sepia-mini-chat`, { headers })).json()) as { device: unknown }
    assert.deepEqual(models.device, { backend: 'vulkan', name: device.name })
  })
})
