/**
 * What does a long system prompt cost from its second use on? Twenty questions, of one line and of a few, share 2 000 tokens, one after another and four at a time;
 * first tokens and processor time against llama-server with its own prompt cache, over HTTP. Needs a model with room for it: bench/text/make-model.ts writes one into
 * the folder that BENCH_MODELS names.
 */
import { describeMachine, median, summarize } from '../measure.ts'
import { readProcessorMs } from '../processor-time.ts'
import { type BenchModel, listBenchModels } from './bench-model.ts'
import { type ChatServer, startLlamaServer, startSepia } from './chat-server.ts'
import { type StreamedChat, streamChat } from './stream-chat.ts'

const questions = 20
const systemTokens = 2000
const slots = 4

const askings = {
  short: (index: number) => `Question ${index}: what is ${index} + ${index + 3}?`,
  long: (index: number) =>
    `Question ${index}: I had ${index} apples and bought ${index + 3} more on the way home, then gave one to each of my two neighbours. How many do I have now?`,
}
type Asking = keyof typeof askings

function askAbout(server: ChatServer, system: string, asking: Asking, index: number): Promise<StreamedChat> {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: askings[asking](index) },
  ]
  return streamChat(server, { messages, temperature: 0, max_tokens: 4 })
}

async function measure(server: ChatServer, system: string, together: number): Promise<void> {
  await askAbout(server, 'Be brief.', 'short', 0) // so that the model is loaded
  const first = await askAbout(server, system, 'short', 0)
  console.log(`  ${server.name.padEnd(12)} ${together} at a time: cold ${first.firstMs.toFixed(0)} ms (${first.promptTokens} tokens)`)
  for (const asking of ['short', 'long'] as const) await measureWarm(server, system, together, asking)
}

async function measureWarm(server: ChatServer, system: string, together: number, asking: Asking): Promise<void> {
  const answers: StreamedChat[] = []
  const busyBefore = readProcessorMs(server.pid)
  for (let start = 1; start <= questions; start += together)
    answers.push(...(await Promise.all(Array.from({ length: together }, (_, index) => askAbout(server, system, asking, start + index)))))
  const busy = readProcessorMs(server.pid) - busyBefore
  const { p50, max } = summarize(Float64Array.from(answers, (answer) => answer.firstMs))
  const cached = answers.reduce((sum, answer) => sum + answer.cachedTokens / answer.promptTokens, 0) / answers.length
  const read = median(answers.map((answer) => answer.promptTokens - answer.cachedTokens))
  console.log(
    `    ${asking} questions: first token median ${p50.toFixed(0)} ms, max ${max.toFixed(0)} ms; ${(100 * cached).toFixed(1)} % cached, ` +
      `${read} tokens read; processor ${(busy / questions).toFixed(0)} ms per question`,
  )
}

async function compare(model: BenchModel): Promise<void> {
  const shape = { ...model, threads: 1, slots }
  console.log(`${model.model}, ${questions} questions over ${systemTokens} shared tokens, ${slots} slots`)
  for (const together of [1, slots]) {
    const system = `Rules ${together}. ${'Answer in one word and be kind to all. '.repeat(systemTokens / 9)}`
    await using ours = await startSepia(shape)
    await measure(ours, system, together)
    await using theirs = await startLlamaServer(shape)
    await measure(theirs, system, together)
  }
}

console.log(describeMachine())
const models = (await listBenchModels()).filter((model) => model.context > systemTokens + 500)
if (models.length === 0) throw new Error('No model has a context of 2 500 tokens; set BENCH_MODELS to a folder with one.')
for (const model of models) await compare(model)
