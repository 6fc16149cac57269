import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ImageServerFormat } from '../../../src/core/images/image-servers.ts'
import { parseWorkflow } from '../../../src/core/images/workflow.ts'
import type { UpstreamTimeouts } from '../../../src/core/model.ts'
import type { ImageModel } from '../../../src/core/ports/image-model.ts'
import { Turns } from '../../../src/core/turns.ts'
import { describeFakeImage } from '../../../src/runtimes/fake/fake-catalog.ts'
import { loadImageServer } from '../../../src/runtimes/upstream/images/load-image-server.ts'
import { createTemporaryFolder } from '../temporary-folder.ts'
import { type ImageServerFaults, type ImageServerStandIn, startImageServer } from './image-server.ts'

/** A workflow of ComfyUI that leaves everything open. */
export const openWorkflow = {
  3: {
    class_type: 'KSampler',
    inputs: {
      seed: '{{seed}}',
      steps: '{{steps}}',
      cfg: '{{cfg_scale}}',
      sampler_name: '{{sampler}}',
      scheduler: '{{scheduler}}',
      denoise: '{{strength}}',
    },
  },
  5: { class_type: 'EmptyLatentImage', inputs: { width: '{{width}}', height: '{{height}}', batch_size: 1 } },
  6: { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}, masterpiece', clip: ['4', 1] } },
  7: { class_type: 'CLIPTextEncode', inputs: { text: '{{negative_prompt}}', clip: ['4', 1] } },
}

/** A model behind a server that stands in for a real one, with the key `me:secret`. */
export async function connectImageServer(
  context: TestContext,
  format: ImageServerFormat,
  {
    workflow = openWorkflow,
    cancelTimeoutMs,
    name = 'far',
    timeouts,
    ...faults
  }: ImageServerFaults & {
    readonly workflow?: object
    readonly cancelTimeoutMs?: number
    /** What the model is called there. */
    readonly name?: string
    readonly timeouts?: UpstreamTimeouts
  } = {},
): Promise<{ readonly server: ImageServerStandIn; readonly model: ImageModel; readonly slots: number; readonly keyFile: string }> {
  const server = await startImageServer(context, format, faults)
  const folder = await createTemporaryFolder()
  context.after(() => folder[Symbol.asyncDispose]())
  const keyFile = join(folder.path, 'key')
  await writeFile(keyFile, 'me:secret\n')
  const parsed = parseWorkflow(JSON.stringify(workflow))
  assert.ok(!('fault' in parsed))
  const descriptor = describeFakeImage({
    format,
    id: 'far',
    folder: folder.path,
    sizes: { type: 'range', min: 64, max: 128 },
    defaults: { steps: 4, guidanceScale: 5, sampler: 'K_EULER' },
    upstream: { url: server.url, model: name, keyFile, slots: 1, ...(timeouts && { timeouts }) },
    workflow: parsed,
  })
  const { signal } = new AbortController()
  const loaded = await loadImageServer(descriptor, {
    signal,
    turns: new Turns(1),
    pollMs: 1,
    ...(cancelTimeoutMs !== undefined && { cancelTimeoutMs }),
  })
  context.after(() => loaded[Symbol.asyncDispose]())
  return { server, model: loaded.model, slots: loaded.slots, keyFile }
}
