/**
 * When does the first token of the next turn come, late in a long conversation? Each short turn sends all that was said before, which both servers hold; against llama-server,
 * over HTTP. Needs a model with room for it and little to compute, so that what is not computing shows:
 *
 *   node bench/text/make-model.ts <folder of BENCH_MODELS> noise-long q8_0 256 2 32768
 */
import { describeMachine, median } from '../measure.ts'
import { readProcessorMs } from '../processor-time.ts'
import { type BenchModel, listBenchModels } from './bench-model.ts'
import { type ChatServer, startLlamaServer, startSepia } from './chat-server.ts'
import { listLlamaBuilds } from './llama-builds.ts'
import { streamChat } from './stream-chat.ts'

const turnsBefore = [2, 20, 60]
const turnsMeasured = 12
const minContext = 32_000

const sentences = [
  'The harbour opens at six, and the boats that were late wait outside until somebody has counted those that are in.',
  'I would rather know what it costs before we begin than be told at the end that nobody had looked.',
  "Write it down: which rooms, how many people, when they come, and who has the keys if I'm away.",
  'There are three ways to do this; the first is quick, the second is cheap, and the third is the one that lasts.',
]

/** @param about Begins the text, so that no two conversations share a beginning. */
function say(about: string, turn: number, length: number): { readonly role: 'user' | 'assistant'; readonly content: string } {
  const text = Array.from({ length }, (_, index) => sentences[(turn * 3 + index) % sentences.length]).join(' ')
  return { role: turn % 2 === 0 ? 'user' : 'assistant', content: `${about}, ${turn}. ${text}` }
}

/** Milliseconds to the first token of turns that follow so many others, and processor time of each. */
async function measure(
  server: ChatServer,
  about: string,
  before: number,
): Promise<{ readonly firstMs: number; readonly busyMs: number; readonly tokens: number }> {
  const ask = (turns: number) => {
    const messages = Array.from({ length: 2 * turns - 1 }, (_, turn) => say(about, turn, turn < 2 * before - 1 ? 6 : 0))
    return streamChat(server, { messages, temperature: 0, max_tokens: 2 })
  }
  await ask(before)
  const busyBefore = readProcessorMs(server.pid)
  const firsts: number[] = []
  let tokens = 0
  for (let turn = 1; turn <= turnsMeasured; turn++) {
    const answer = await ask(before + turn)
    firsts.push(answer.firstMs)
    tokens = answer.promptTokens
  }
  return { firstMs: median(firsts), busyMs: (readProcessorMs(server.pid) - busyBefore) / turnsMeasured, tokens }
}

async function compare(model: BenchModel): Promise<void> {
  const shape = { ...model, threads: 1, slots: 1 }
  await using ours = await startSepia(shape)
  for (const build of listLlamaBuilds()) {
    await using theirs = await startLlamaServer(shape, [], build)
    for (const before of turnsBefore) {
      const about = `${build.name} ${before}`
      const [sepia, rival] = [await measure(ours, about, before), await measure(theirs, about, before)]
      console.log(
        `${model.model}, after ${before} turns, ${sepia.tokens} tokens at the end: ${(sepia.firstMs / rival.firstMs).toFixed(2)} × ${build.name}`,
      )
      for (const [name, of] of [
        ['sepia', sepia],
        [build.name, rival],
      ] as const)
        console.log(`  ${name.padEnd(24)} first token median ${of.firstMs.toFixed(1)} ms; processor ${of.busyMs.toFixed(1)} ms per turn`)
    }
  }
}

console.log(describeMachine())
const models = (await listBenchModels()).filter((model) => model.context >= minContext)
if (models.length === 0) throw new Error(`No model has a context of ${minContext} tokens; set BENCH_MODELS to a folder with one.`)
for (const model of models) await compare(model)
