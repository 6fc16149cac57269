import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { silence } from '../../src/runtimes/diffusion/checkpoint/control/controlnet.ts'
import { gpuTarget, processorTarget } from '../../src/runtimes/diffusion/checkpoint/graph/find-graph-target.ts'
import { GraphBuilder } from '../../src/runtimes/diffusion/checkpoint/graph/graph-builder.ts'
import { LoraBranches, loraInputs } from '../../src/runtimes/diffusion/checkpoint/lora/lora-branches.ts'
import { writeUnetGraph } from '../../src/runtimes/diffusion/checkpoint/networks/unet-graph.ts'
import { readUnetShape } from '../../src/runtimes/diffusion/checkpoint/networks/unet-shape.ts'
import { originalUnet } from '../../src/runtimes/diffusion/checkpoint/weights/original-tables.ts'
import { readWeightFile } from '../../src/runtimes/diffusion/checkpoint/weights/weight-table.ts'
import { ExportedGraph } from './exported-graph.ts'

/** The measurements of one process: seconds and mebibytes. */
export interface UnetMeasure {
  readonly create: number
  readonly createProcessor: number
  readonly second: number | null
  readonly anonymous: number
  readonly mapped: number
  readonly peak: number
  /** Processor seconds of one evaluation without guidance, by side of the picture. */
  readonly steps: Readonly<Record<string, number>>
}

/** Adapted modules of a usual LoRA: the attention's projections. */
const adapted = /attn[12]\.to_(?:q|k|v|out\.0)$/u

async function memory(): Promise<{ readonly anonymous: number; readonly mapped: number; readonly peak: number }> {
  const status = await readFile('/proc/self/status', 'utf8')
  const of = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`, 'u').exec(status)?.[1] ?? 0) / 1024)
  return { anonymous: of('RssAnon'), mapped: of('RssFile'), peak: of('VmHWM') }
}

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

async function measure(path: string, kind: string, sides: readonly number[]): Promise<UnetMeasure> {
  const weights = originalUnet(await readWeightFile(path), 'model.diffusion_model.')
  const shape = readUnetShape(weights, { heads: { channels: 64 }, timeIdWidth: 256, pooledWidth: 1280 })
  const modules = new Set(
    weights
      .names()
      .filter((name) => name.endsWith('.weight'))
      .map((name) => name.slice(0, -7))
      .filter((name) => adapted.test(name)),
  )
  const branches = kind === 'lora' ? new LoraBranches(modules) : null
  const constant = kind === 'exported' || kind === 'rewritten'
  const options = { target: constant ? gpuTarget : processorTarget, branches, controlled: kind === 'lora' } as const
  const open = () => {
    const graph = kind === 'exported' ? new ExportedGraph(weights) : new GraphBuilder(weights, options.target)
    return InferenceSession.create(writeUnetGraph(weights, shape, options, graph), {
      intraOpNumThreads: 1,
      enableMemPattern: constant,
      logSeverityLevel: 3,
      extra: { session: { model_external_initializers_file_folder_path: dirname(path) } },
    })
  }
  const [startedAt, processorAt] = [performance.now(), processorSeconds()]
  const session = await open()
  const create = (performance.now() - startedAt) / 1000
  const createProcessor = processorSeconds() - processorAt
  const steps: Record<string, number> = {}
  const added: Record<string, Tensor> = kind === 'lora' ? { ...silence(9) } : {}
  if (kind === 'lora') {
    for (const module of modules) {
      const [outputs = 0, inputs = 0] = weights.get(`${module}.weight`).shape
      const { down, up } = loraInputs(module)
      added[down] = new Tensor('float32', new Float32Array(16 * inputs).fill(1e-4), [16, inputs])
      added[up] = new Tensor('float32', new Float32Array(outputs * 16).fill(1e-4), [outputs, 16])
    }
  }
  for (const side of sides) {
    const latent = side / 8
    const feeds = {
      sample: new Tensor('float32', new Float32Array(4 * latent * latent).fill(0.1), [1, 4, latent, latent]),
      timestep: new Tensor('float32', [500], [1]),
      encoder_hidden_states: new Tensor('float32', new Float32Array(77 * 2048).fill(0.1), [1, 77, 2048]),
      text_embeds: new Tensor('float32', new Float32Array(1280), [1, 1280]),
      time_ids: new Tensor('float32', new Float32Array(6).fill(side), [1, 6]),
      ...added,
    }
    await session.run(feeds)
    const before = processorSeconds()
    await session.run(feeds)
    steps[side] = processorSeconds() - before
  }
  const { anonymous, mapped, peak } = await memory()
  let second: number | null = null
  if (kind === 'mapped') {
    const secondAt = performance.now()
    await (await open()).release()
    second = (performance.now() - secondAt) / 1000
  }
  return { create, createProcessor, second, anonymous, mapped, peak, steps }
}

const [path = '', kind = 'mapped', ...sides] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(await measure(path, kind, sides.map(Number)))}\n`)
