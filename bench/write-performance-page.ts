/**
 * Runs every bench, one after the other, and writes what they print into docs/performance.md.
 *
 * Run: `npm run bench`, or `npm run bench -- <name>` for some of them; the other sections stay as they are.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describeMachine } from './measure.ts'

const page = new URL('../docs/performance.md', import.meta.url)

const benches = [
  { name: 'text/throughput', question: 'Text: tokens per second and time to first token against llama-server, at 1, 8 and 32 streams' },
  { name: 'text/greedy-identity', question: 'Text: are greedy answers those of llama-server?' },
  { name: 'text/prefix-cache', question: 'Text: what does a long system prompt cost from its second use on?' },
  { name: 'text/long-conversation', question: 'Text: when does the first token of the next turn come, late in a conversation?' },
  { name: 'text/speculation', question: 'Text: what does speculative decoding gain?' },
  { name: 'text/json-answers', question: 'Text: what does a JSON schema cost, and how many answers are whole when their tokens run out?' },
  { name: 'diffusion/seconds-per-step', question: 'Images: seconds per denoising step, and the share of everything else' },
  { name: 'diffusion/several-images', question: 'Images: four of one request in one batch, against one after the other' },
  { name: 'queue/durable-submits', question: 'Asynchronous submits into the embedded store, 32 in flight' },
  { name: 'queue/polls', question: 'Polls of the embedded store, 100 000 records' },
  { name: 'postgres/submits-and-claims', question: 'The queue on PostgreSQL beside pg-boss and graphile-worker' },
  { name: 'cluster/submits-over-http', question: 'Submits over HTTP in a cluster' },
  { name: 'queue/over-http', question: 'Submits and polls over HTTP' },
  { name: 'streams/open-streams', question: '500 open streams on a fake model' },
  { name: 'upstream/added-latency', question: 'Upstream chat: what the service adds, one at a time and with 32 connections' },
  { name: 'workers/scaling', question: 'Deferred work with 1, 2 and 4 workers' },
  { name: 'security/hostile-neighbour', question: 'Security: what does an account notice of another that attacks?' },
  {
    name: 'real-size/language-model-at-size',
    question: 'Text: a model of 7 B parameters, its time and memory, and what the planner expected',
  },
  {
    name: 'real-size/checkpoint-at-size',
    question: "Images: a checkpoint of SDXL's real size, against the same network as the official export writes it",
  },
  {
    name: 'console/first-load-and-interactions',
    question: 'The console: script that a page loads first, and from input to next paint',
  },
  { name: 'start/first-answer', question: 'Start to first answer, and idle memory' },
] as const

const wanted = process.argv.slice(2)
const sections = await readSections()
for (const { name, question } of benches) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`${name} …\n`)
  const { output, exitCode } = await run(name)
  const failed = exitCode === 0 ? '' : `\nIt ended with exit code ${exitCode}.\n`
  sections.set(
    name,
    `## ${question}\n\n\`bench/${name}.ts\`, ${new Date().toISOString().slice(0, 10)}\n\n\`\`\`\n${output.trim()}\n\`\`\`\n${failed}`,
  )
  await writeFile(page, printPage(sections))
}

async function run(name: string): Promise<{ readonly output: string; readonly exitCode: number | null }> {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const bench = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([text(bench.stdout), once(bench, 'exit')])
  return { output, exitCode: bench.exitCode }
}

/** The sections written before, by bench. */
async function readSections(): Promise<Map<string, string>> {
  const old = await readFile(page, 'utf8').catch(() => '')
  const sections = old.split(/^(?=## )/m).slice(1)
  return new Map(sections.map((section) => [/`bench\/(.+?)\.ts`/.exec(section)?.[1] ?? '', section]))
}

function printPage(byName: ReadonlyMap<string, string>): string {
  const sections = benches.flatMap(({ name }) => byName.get(name)?.trim() ?? [])
  return `# Performance

Written by \`npm run bench\`, last on ${describeMachine()}; each section says when. Each bench prints our figure and its rival's from the same run; the machine was shared and noisy, so
ratios within a run say more than single figures.

${sections.join('\n\n')}
`
}
