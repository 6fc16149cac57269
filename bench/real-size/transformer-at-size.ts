/**
 * Does a transformer of real size draw a step in the time and memory of stable-diffusion.cpp?
 *
 * Run: `node bench/real-size/transformer-at-size.ts --model z-image|flux [--quantization q4_0|q8_0] [--depth 99] [--folder <folder>] [--keep] [--rival <sd-cli>] [--ours off]`.
 * It writes random files of the true shapes into the folder (Z-Image-Turbo with Qwen3 4B: 6 GB in Q4_0; FLUX.1-schnell with T5 XXL: 10 GB), draws one step at 512² and
 * removes them; `--keep` leaves them, and files that are there are used. `--depth` counts blocks of the transformer, for a smaller model of the same make; the rival draws FLUX.1 of any depth and Z-Image of 30 blocks alone, from the same files.
 */
import { execFile, spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { readGoldenCheckpoints } from '../../test/support/model-files/golden-checkpoints.ts'
import { describeMachine } from '../measure.ts'
import { readProcessorMs } from '../processor-time.ts'
import type { PartMeasure, TransformerMeasure } from './measure-transformer.ts'
import { clipShapes, fluxShapes, qwen3Shapes, t5Shapes, vaeShapes, writeRandomWeights, zImageShapes } from './random-transformer.ts'

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'z-image' },
    quantization: { type: 'string', default: 'q4_0' },
    depth: { type: 'string', default: '99' },
    folder: { type: 'string' },
    keep: { type: 'boolean', default: false },
    rival: { type: 'string' },
    ours: { type: 'string', default: 'on' },
    'in-turn': { type: 'boolean', default: false },
    threads: { type: 'string', default: '2' },
    side: { type: 'string', default: '512' },
  },
})
const matrices = values.quantization === 'q8_0' ? 'q8_0' : 'q4_0'
const isFlux = values.model === 'flux'
const depth = Number(values.depth)
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'sepia-transformer-')))
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const at = (name: string): string => join(folder, name)
const size = depth >= 38 ? '' : `-${depth}`
const names = isFlux
  ? { weights: `flux1-schnell${size}-${matrices}.gguf`, text: 't5-q4_0.gguf' }
  : { weights: `z-image-turbo${size}-${matrices}.gguf`, text: 'qwen3-4b-q4_0.gguf' }

async function write(name: string, ...[weights]: [Parameters<typeof writeRandomWeights>[1]]): Promise<void> {
  if (
    await access(at(name)).then(
      () => true,
      () => false,
    )
  )
    return
  const parameters = await writeRandomWeights(at(`${name}.part`), weights)
  await rename(at(`${name}.part`), at(name))
  print(`${name}: ${(parameters / 1e9).toFixed(2)} billion parameters`)
}

async function writeTokenizer(): Promise<string> {
  const [from, name] = isFlux ? ['tokenizers/t5/', 'tokenizers/t5'] : ['tokenizers/qwen3/', 'tokenizers/qwen3']
  for (const [path, bytes] of await readGoldenCheckpoints('transformers')) {
    if (!path.startsWith(from)) continue
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), bytes)
  }
  return at(name)
}

const shown = (part: string, { seconds, processor, peak }: Omit<PartMeasure, 'peak'> & { readonly peak?: number }): string =>
  `${part.padEnd(5)} ${seconds.toFixed(2).padStart(8)} s  ${processor.toFixed(2).padStart(8)} s of processor${peak === undefined ? '' : `  ${String(peak).padStart(6)} MB`}`

async function measureOurs(files: Readonly<Record<string, string>>): Promise<void> {
  const script = fileURLToPath(new URL('./measure-transformer.ts', import.meta.url))
  const side = Number(values.side)
  const settings = { weights: at(names.weights), files, threads: Number(values.threads), inTurn: values['in-turn'], side }
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(settings)], { maxBuffer: 1 << 24 })
  const measured: TransformerMeasure = JSON.parse(stdout)
  for (const part of ['load', 'text', 'step', 'vae'] as const) print(`Sepia ${shown(part, measured[part])}`)
  print(`Sepia peak ${Math.max(...Object.values(measured).map(({ peak }) => peak))} MB`)
}

/** The output of the rival at the end of each part. */
const rivalParts = [
  ['load', /loading tensors completed, taking ([\d.]+)(m?s)/u],
  ['text', /get_learned_condition completed, taking ([\d.]+) ?(m?s)/u],
  ['step', /sampling completed, taking ([\d.]+) ?(m?s)/u],
  ['vae', /decode_first_stage completed, taking ([\d.]+) ?(m?s)/u],
] as const

async function measureRival(program: string): Promise<void> {
  const texts = isFlux ? ['--t5xxl', at(names.text), '--clip_l', at('clip_l.safetensors')] : ['--llm', at(names.text)]
  const picture = ['-p', 'a glossy red apple', '--steps', '1', '--cfg-scale', '1', '-W', values.side, '-H', values.side]
  const rest = ['-t', values.threads, '-v', '-o', at('rival.png'), '--sampling-method', 'euler']
  const child = spawn(program, ['--diffusion-model', at(names.weights), '--vae', at('ae.safetensors'), ...texts, ...picture, ...rest])
  let text = ''
  const processor = new Map<string, number>()
  let before = 0
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      text += String(bytes)
      for (const [part, pattern] of rivalParts) {
        if (processor.has(part) || !pattern.test(text)) continue
        const now = readProcessorMs(child.pid ?? 0) / 1000
        processor.set(part, now - before)
        before = now
      }
    })
  let peak = 0
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peak = Math.max(peak, Math.round(Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024))
    await Promise.race([ended, setTimeout(100)])
  }
  const code = await ended
  if (code !== 0) print(`stable-diffusion.cpp ended with ${code}: ${text.slice(-2000)}`)
  for (const [part, pattern] of rivalParts) {
    const [, number, unit] = pattern.exec(text) ?? []
    const seconds = Number(number) / (unit === 'ms' ? 1000 : 1)
    if (number !== undefined) print(`stable-diffusion.cpp ${shown(part, { seconds, processor: processor.get(part) ?? 0 })}`)
  }
  print(`stable-diffusion.cpp peak ${peak} MB`)
}

try {
  await mkdir(folder, { recursive: true })
  print(describeMachine())
  const shapes = isFlux ? fluxShapes(depth) : zImageShapes(depth)
  await write(names.weights, { shapes, matrices, architecture: isFlux ? 'flux' : 'lumina2' })
  if (isFlux) await write('clip_l.safetensors', { shapes: clipShapes(), matrices: 'f16' })
  const text = isFlux ? { shapes: t5Shapes(), architecture: 't5encoder' } : { shapes: qwen3Shapes(), architecture: 'qwen3' }
  await write(names.text, { ...text, matrices: 'q4_0' })
  await write('ae.safetensors', { shapes: vaeShapes(), matrices: 'f16' })
  const tokenizer = await writeTokenizer()
  const files = isFlux
    ? { text_encoder: at('clip_l.safetensors'), text_encoder_2: at(names.text), tokenizer_2: tokenizer, vae: at('ae.safetensors') }
    : { text_encoder: at(names.text), tokenizer, vae: at('ae.safetensors') }
  if (values.ours !== 'off') await measureOurs(files)
  if (values.rival !== undefined) await measureRival(values.rival)
} finally {
  if (!values.keep) await rm(folder, { recursive: true, force: true })
}
