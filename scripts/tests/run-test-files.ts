import { type ChildProcess, spawn } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { cutIntoProcesses, failureMark, processesPerProcessor } from './test-processes.ts'

/**
 * Runs test files: `npm run test:files -- [--concurrency=2] <glob> …`. Neighbours share a process, as many processes run at once as there
 * are processors, or twice as many where files mostly wait. Prints each failure in one line when it happens, the tests of each process when it
 * ends, and at the end what failed and the sums, as `node --test` does.
 */
const root = join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({ options: { concurrency: { type: 'string' } }, allowPositionals: true })
const node = [
  ...['--require', './src/composition/compile-cache.cjs', '--import', './scripts/tests/limit-test-process.ts'],
  ...['--test', '--test-isolation=none', '--test-timeout=600000'],
  ...['spec', './scripts/tests/failure-reporter.ts'].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]),
]
const sums = new Map<string, number>()
const failures: string[] = []
/** Each failure in one line. */
const failing: string[] = []
const running = new Set<ChildProcess>()
process.once('SIGTERM', () => {
  console.log(['\n✖ ended by SIGTERM; failing so far:', ...failing].join('\n'))
  for (const child of running) child.kill()
  process.exit(128 + 15)
})
const startedAt = performance.now()

const paths = new Set(await Array.fromAsync(glob(positionals, { cwd: root })))
const waiting = [
  ...cutIntoProcesses(await Promise.all([...paths].map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })))),
]
const concurrency = Number(values.concurrency ?? availableParallelism() * processesPerProcessor([...paths]))
await Promise.all(Array.from({ length: concurrency }, runProcesses))

for (const [name, sum] of sums) console.log(`ℹ ${name} ${sum}`)
console.log(`ℹ files ${paths.size}\nℹ seconds ${Math.round((performance.now() - startedAt) / 1000)}`)
if (failures.length > 0) console.log(`\n✖ failing tests:\n${failures.join('\n')}`)
if (failures.length > 0 || (sums.get('tests') ?? 0) === 0) process.exitCode = 1

async function runProcesses(): Promise<void> {
  for (let files = waiting.shift(); files !== undefined; files = waiting.shift()) {
    const { output, code } = await runProcess(files)
    const [tests = '', failed] = output.split('\n✖ failing tests:\n')
    for (const [, name = '', sum] of tests.matchAll(/^ℹ (?!duration)(\w+) (\d+)$/gm)) sums.set(name, (sums.get(name) ?? 0) + Number(sum))
    process.stdout.write(tests.replaceAll(/^ℹ \w+ [\d.]+\n?/gm, ''))
    if (failed !== undefined) failures.push(failed)
    else if (code !== 0) failures.push(`The process of these files ended with ${code}:\n${files.join('\n')}\n`)
  }
}

async function runProcess(files: readonly string[]): Promise<{ readonly output: string; readonly code: number | string | null }> {
  const child = spawn(process.execPath, [...node, ...files], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  const ended = new Promise<number | string | null>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith(failureMark)) report(`✖ ${line.slice(failureMark.length)}`)
    else lines.push(`${line}\n`)
  }
  const code = await ended
  running.delete(child)
  return { output: lines.join(''), code }
}

function report(failure: string): void {
  failing.push(failure)
  console.log(failure)
}
