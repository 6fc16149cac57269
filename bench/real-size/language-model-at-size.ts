/**
 * What does a language model of 7 B parameters take to load and to answer, and had the planner predicted its memory?
 *
 * Run: `node bench/real-size/language-model-at-size.ts [--layers 35] [--slots 4] [--tokens 16]`. It writes a random model (Q4_0, 4 GB) into the temporary
 * folder and removes it. LLAMA_SERVER names a rival for the same run; without one its line is left out.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openCatalog } from '../../src/catalog/refreshable-catalog.ts'
import { readMachine } from '../../src/config/process-environment.ts'
import { estimateMemory } from '../../src/core/memory/estimate-memory.ts'
import { describeMachine } from '../measure.ts'
import { type ChatServer, startLlamaServer, startSepia } from '../text/chat-server.ts'
import { streamChat } from '../text/stream-chat.ts'
import { writeRandomLanguageModel } from './random-language-model.ts'

const { values } = parseArgs({
  options: {
    width: { type: 'string', default: '4096' },
    layers: { type: 'string', default: '35' },
    slots: { type: 'string', default: '4' },
    tokens: { type: 'string', default: '16' },
    threads: { type: 'string', default: '2' },
  },
})
const [slots, tokens, threads, context] = [Number(values.slots), Number(values.tokens), Number(values.threads), 2048]
const folder = join(tmpdir(), `sepia-real-size-${process.pid}`)
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`

/** The processes of a server that hold models, by their peak: [resident, peak] in bytes. */
async function readMemory(pid: number): Promise<readonly [number, number]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map(async (each) => [each, await readFile(`/proc/${each}/status`, 'utf8').catch(() => '')] as const))
  const field = (status: string, name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  const family = found.filter(([each, status]) => Number(each) === pid || field(status, 'PPid') === pid)
  const [largest = ''] = family.map(([, status]) => status).toSorted((a, b) => field(b, 'VmHWM') - field(a, 'VmHWM'))
  return [field(largest, 'VmRSS') * 1024, field(largest, 'VmHWM') * 1024]
}

async function measure(server: ChatServer): Promise<number> {
  const ask = (number: number, limit: number) =>
    streamChat(server, {
      messages: [{ role: 'user', content: `Tell me story number ${number} about a fox.` }],
      temperature: 0,
      max_tokens: limit,
      logit_bias: { 0: -100, 2: -100 },
    })
  const startedAt = performance.now()
  await ask(0, 1)
  const firstMs = performance.now() - startedAt
  const one = await timed(() => ask(1, tokens))
  const several = await timed(() => Promise.all(Array.from({ length: slots }, (_, index) => ask(10 + index, tokens))))
  const [resident, peak] = await readMemory(server.pid)
  print(
    `${server.name.padEnd(12)} ${(firstMs / 1000).toFixed(1)} s to the first token, the load included; one stream ${(one / tokens).toFixed(2)} s per token, ` +
      `${slots} streams ${(several / tokens / slots).toFixed(2)} s per token; resident ${gigabytes(resident)}, peak ${gigabytes(peak)}`,
  )
  return peak
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

try {
  const model = 'real-size'
  const file = join(folder, model, 'model.gguf')
  await mkdir(join(folder, model), { recursive: true })
  print(`${describeMachine()}, ${gigabytes(freemem())} free, ${threads} threads, ${slots} sequences of ${context} tokens`)
  const parameters = await writeRandomLanguageModel(file, { width: Number(values.width), layers: Number(values.layers), context })
  await writeFile(
    join(folder, model, 'model.json'),
    JSON.stringify({ id: model, name: model, kind: 'text', format: 'gguf', file: 'model.gguf', contextLength: context }),
  )
  const descriptor = (await openCatalog({ folders: [folder] })).find(model)
  if (descriptor === undefined) throw new Error('The model that was written is not found.')
  const { memoryBytes } = readMachine()
  const { expected, least } = estimateMemory(descriptor, { textSlots: slots, machineBytes: memoryBytes * 0.75, gpuBytes: 0 })
  print(
    `${(parameters / 1e9).toFixed(2)} billion parameters, ${gigabytes(descriptor.bytes)}; the planner expects ${gigabytes(expected.processorBytes)}, at least ${gigabytes(least.processorBytes)}`,
  )
  const shape = { models: folder, model, file, threads, slots, context }
  {
    await using ours = await startSepia(shape)
    const peak = await measure(ours)
    print(`${''.padEnd(12)} expected / taken: ${(expected.processorBytes / peak).toFixed(2)}`)
  }
  if (process.env.LLAMA_SERVER === undefined) print('llama-server left out: LLAMA_SERVER names none')
  else {
    await using theirs = await startLlamaServer(shape)
    await measure(theirs)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
