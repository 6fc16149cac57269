/**
 * Runs the suite of attacks and prints the worst event-loop delay of all its processes, tests and services alike, while they answered
 * requests: `npm run test:security`. What it prints depends on the machine, so that nothing fails by it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = await mkdtemp(join(tmpdir(), 'sepia-security-'))
try {
  const report = join(folder, 'delays')
  const measure = new URL('../test/support/measure-event-loop.ts', import.meta.url)
  const child = spawn(process.execPath, ['--test', '--test-concurrency=1', 'test/security/*.test.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, NODE_OPTIONS: `--import=${measure}`, EVENT_LOOP_REPORT: report },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
  const lines = (await readFile(report, 'utf8')).trim().split('\n')
  const delays: readonly { readonly process: readonly string[]; readonly heldMs: number }[] = lines.map((line) => JSON.parse(line))
  const worst = delays.reduce((one, other) => (other.heldMs > one.heldMs ? other : one))
  console.log(
    `worst event-loop delay of ${delays.length} processes while they answered: ${worst.heldMs.toFixed(0)} ms ` +
      `(${worst.process.map((word) => basename(word)).join(' ')}), ${availableParallelism()} processors`,
  )
} finally {
  await rm(folder, { recursive: true })
}
