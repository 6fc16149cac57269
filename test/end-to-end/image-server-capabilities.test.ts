import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageRequest } from '../../src/core/image-generation.ts'
import type { ImageServerFormat } from '../../src/core/images/image-servers.ts'
import { connectImageServer } from '../support/engines/connect-image-server.ts'
import type { ImageServerFault } from '../support/engines/image-server.ts'
import { makeImageRequest } from '../support/image-request.ts'

const { signal } = new AbortController()
const idle = { signal, onProgress: (): void => undefined }

interface Change {
  readonly format: ImageServerFormat
  readonly at: RegExp
  /** Its report before it has the capability that the request needs. */
  readonly before: string
  readonly request: Partial<ImageRequest>
  readonly param: string
}

const changes: readonly Change[] = [
  { format: 'a1111', at: /\/samplers$/, before: '[]', request: {}, param: 'sampler' },
  {
    format: 'sd-server',
    at: /\/capabilities$/,
    before: '{"samplers":["euler"],"schedulers":["discrete"],"loras":[],"output_formats":["png"]}',
    request: { loras: [{ name: 'ink', weight: 1 }] },
    param: 'loras',
  },
  {
    format: 'comfyui',
    at: /^\/object_info/,
    before: '{"KSampler":{"input":{"required":{"sampler_name":["COMBO",{"options":["ddim"]}],"scheduler":[["normal"]]}}}}',
    request: {},
    param: 'sampler',
  },
]

for (const { format, at, before, request, param } of changes)
  test(`${format}: a capability added since the model was loaded is found before a request is rejected for it`, async (context) => {
    let hasIt = false
    const fault: ImageServerFault = (response, body) => void response.end(hasIt ? body : before)
    const { model } = await connectImageServer(context, format, { fault, at })
    const requested = makeImageRequest('a fox', { sampler: 'K_EULER', guidanceScale: 5, ...request })
    await assert.rejects(model.generate(requested, idle), { code: 'unsupported', param })
    hasIt = true
    assert.equal((await model.generate(requested, idle)).images.length, 1)
  })

test('a server that does not report again leaves the error unchanged', async (context) => {
  let requested = 0
  const fault: ImageServerFault = (response, body) => void (requested++ === 0 ? response.end(body) : response.writeHead(500).end('{}'))
  const { model } = await connectImageServer(context, 'sd-server', { fault, at: /\/capabilities$/ })
  const request = makeImageRequest('a fox', { sampler: 'HEUN', guidanceScale: 5 })
  await assert.rejects(model.generate(request, idle), { code: 'unsupported', param: 'sampler' })
  assert.equal(requested, 2)
})

test('comfyui: samplers are also read from newer nodes', async (context) => {
  const required = { sampler_name: ['COMBO', { options: ['euler'] }], scheduler: ['COMBO', { options: ['normal'] }] }
  const fault: ImageServerFault = (response) => void response.end(JSON.stringify({ KSampler: { input: { required } } }))
  const { model } = await connectImageServer(context, 'comfyui', { fault, at: /^\/object_info/ })
  assert.equal((await model.generate(makeImageRequest('a fox', { sampler: 'K_EULER', guidanceScale: 5 }), idle)).images.length, 1)
})
