/**
 * How much time of a slow computer does the chat use while an answer of 5 000 lines of code arrives after one of 4 000 lines, at a key press, and
 * when a conversation of 400 messages is opened?
 *
 * The browser runs at a quarter of its speed. Times are those of the page's main thread, so other work on the machine changes them little. The rival is
 * the same page with an empty conversation.
 */
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { becomeOwner, visitConsole } from '../../test/browser/support/console-visit.ts'
import { keepConversation } from '../../test/browser/support/keep-conversation.ts'
import { openWritingServer, type ServedAnswer } from '../../test/browser/support/writing-server.ts'
import { describeMachine, median } from '../measure.ts'

const slowness = 4
const keys = 15
const openings = 3
const tokensPerSecond = 100
const streamedSeconds = 5
const line = (index: number) => `  const value${index} = await readRow(table, ${index}, { signal, retries: 3 })\n`
const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index))

console.log(`${describeMachine()}, load ${loadText()}; the page at a quarter of its speed`)
await using writing = await openWritingServer()
await using visit = await visitConsole(['--models', writing.folder])
const { page, browser, context, service } = visit
await becomeOwner(visit)
const tiny = await keepConversation(page, 4)
const small = await keepConversation(page, 2)
const large = await keepConversation(page, 400)
const devtools = await context.newCDPSession(page)
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowness })
let missed = 0

await begin()
const fast = await tasksWhile(async () => {
  const answer = await writing.next()
  answer.write('```ts\n')
  for (const text of lines(5000)) answer.write(text)
  answer.write('```\n')
  answer.end()
  await page.locator('.turn-answer[data-state=done]').waitFor({ timeout: 120_000 })
})
report('5 000 lines of code at once: longest task, ms', Math.max(...fast), 100)
note('  all tasks together, ms', sum(fast))

await begin()
const short = await writing.next()
const shortMs = await latenessOf(short)
short.end()

await begin()
const long = await writing.next()
long.write(`\`\`\`ts\n${lines(4000).join('')}`)
await seen('value3999')
let behindMs = 0
const slow = await tasksWhile(async () => {
  behindMs = await latenessOf(long)
})
long.end()
report('100 tokens/s behind 4 000 lines: the last is late by, ms', behindMs, 1000)
note('  behind none, ms', shortMs)
report('100 tokens/s behind 4 000 lines: longest task, ms', Math.max(...slow), 100)
note('  all tasks together, % of the time', (sum(slow) / (streamedSeconds * 1000)) * 100)

const empty = await keyMs(small)
report('a key at 400 messages: script and layout, ms', await keyMs(large), 16)
note('  at 2 messages, ms', empty)

const emptyOpening = await openingMs(tiny)
report('opening 400 messages: CPU of the page, ms', await openingMs(large), 600)
note('  opening 4 messages, ms', emptyOpening)
console.log(`load at the end ${loadText()}`)
if (missed > 0) process.exitCode = 1

/** Begins a conversation with the model that the bench writes for. */
async function begin(): Promise<void> {
  await page.goto(`${service.url}/console/chat`)
  await page.getByLabel('Model', { exact: true }).selectOption('writing-chat')
  await page
    .getByRole('button', { name: 'New conversation' })
    .click({ timeout: 500 })
    .catch(() => undefined)
  await page.getByLabel('Your message').fill('Write.')
  await page.keyboard.press('Enter')
}

/** Writes on for some seconds at a steady speed. @returns how long after the last word it is shown, in milliseconds. */
async function latenessOf(answer: ServedAnswer): Promise<number> {
  const startedAt = performance.now()
  for (let token = 0; token < tokensPerSecond * streamedSeconds; token++) {
    answer.write(token % 12 === 11 ? '\n' : ` word${token}`)
    await pause(Math.max(0, startedAt + ((token + 1) * 1000) / tokensPerSecond - performance.now()))
  }
  const writtenAt = performance.now()
  answer.write(' lastword')
  await seen('lastword')
  return performance.now() - writtenAt
}

/** Waits until an answer shows a word at its end. */
async function seen(word: string): Promise<void> {
  for (;;) {
    if (await page.evaluate<boolean>(`document.querySelector('.conversation')?.textContent.slice(-2000).includes('${word}')`)) return
    await pause(50)
  }
}

/** How long each task of the page's main thread took of its processor, in milliseconds, while something happens. */
async function tasksWhile(happens: () => Promise<void>): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await happens()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && main.has(`${pid} ${tid}`))
  return tasks.map(({ tdur = 0 }) => tdur / 1000)
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Time on the processor, in microseconds. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/** Script, styles and layout of one letter typed, in milliseconds. */
async function keyMs(conversation: string): Promise<number> {
  await open(conversation)
  await page.getByLabel('Your message').focus()
  const times: number[] = []
  for (let key = 0; key < keys; key++) {
    const before = await metrics()
    await page.keyboard.press('a')
    await quiet()
    const after = await metrics()
    times.push(
      (['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'] as const).reduce(
        (ms, name) => ms + (after[name] - before[name]) * 1000,
        0,
      ),
    )
  }
  await page.getByLabel('Your message').fill('')
  return median(times)
}

/** Work of the page's main thread from the click on a conversation until it is idle, in milliseconds. */
async function openingMs(conversation: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < openings; round++) {
    await page.goto(`${service.url}/console/chat/${small}`)
    await page.locator(`.history a[href$="${conversation}"]`).waitFor()
    await page.locator('.turn-answer table').first().waitFor()
    await quiet()
    const before = await metrics()
    await page.locator(`.history a[href$="${conversation}"]`).click()
    await page.waitForURL(`**/${conversation}`)
    await page.locator('.turn-answer').last().waitFor()
    await quiet()
    const after = await metrics()
    times.push((after.TaskDuration - before.TaskDuration - (after.DevToolsCommandDuration - before.DevToolsCommandDuration)) * 1000)
  }
  return median(times)
}

async function open(conversation: string): Promise<void> {
  await page.goto(`${service.url}/console/chat/${conversation}`)
  await page.locator('.turn-answer').last().waitFor()
  await quiet()
}

type Metric = 'ScriptDuration' | 'LayoutDuration' | 'RecalcStyleDuration' | 'TaskDuration' | 'DevToolsCommandDuration'

async function metrics(): Promise<Readonly<Record<Metric, number>>> {
  const { metrics: all } = await devtools.send('Performance.getMetrics')
  return Object.fromEntries(all.map(({ name, value }) => [name, value])) as Record<Metric, number>
}

/** Waits until the page has painted and had nothing to do for a moment. */
async function quiet(): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => requestIdleCallback(resolve, { timeout: 2000 }), { timeout: 2000 }))))',
  )
}

function report(name: string, figure: number, most: number): void {
  const isMissed = figure > most
  if (isMissed) missed++
  console.log(`${name.padEnd(64)} ${String(Math.round(figure)).padStart(6)}  (at most ${most})${isMissed ? '  MISSED' : ''}`)
}

function note(name: string, figure: number): void {
  console.log(`${name.padEnd(64)} ${String(Math.round(figure)).padStart(6)}`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function loadText(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}
