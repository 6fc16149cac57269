/**
 * How long do the README's two commands take with every supported Node and the npm of the same age?
 *
 * Each row is a fresh clone of the last commit with an empty home folder; Node and npm come from the registry. The bench prints a table and writes it
 * to bench/results/<date>-<machine>.md.
 *
 * Run: `scripts/node bench/start/first-hour.ts` runs the whole of `npm test` with each; with globs, it runs only those test files.
 */
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describeMachine } from '../measure.ts'

const versions = [
  ['20', '10.8.2'],
  ['22', '10.9.9'],
  ['24', '11.21.2'],
  ['26', '12.2.2'],
] as const
const root = join(import.meta.dirname, '../..')
const testFiles = process.argv.slice(2)
const question = 'What is the capital of Japan?'

/** How the commands of a row are run. */
type Row = Required<Pick<SpawnOptions, 'cwd' | 'env'>>

/** Runs a command to its end; returns its seconds. */
async function time(command: string, args: readonly string[], row: Row): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(command, args, { ...row, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed = (printed + text).slice(-4000)))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${printed}`)
  return (performance.now() - startedAt) / 1000
}

/** Starts the service as the README says, and has it answer once. */
async function startAndChat(row: Row, data: string): Promise<{ readonly ready: number; readonly chat: number; readonly answer: string }> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  // A group of its own, so that a signal reaches what npm has started.
  const child = spawn('npm', ['start', '--', '--port', '0', '--data', data], {
    ...row,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    let [token, url]: [string, string] = ['', '']
    for await (const line of createInterface({ input: child.stdout })) {
      token = /TOKEN=(\S+)/.exec(line)?.[1] ?? token
      url = /^ready (\S+)/.exec(line)?.[1] ?? ''
      if (url !== '') break
    }
    if (url === '') throw new Error('npm start ended before the service was ready.')
    const ready = seconds()
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'smollm2-135m-instruct', temperature: 0, messages: [{ role: 'user', content: question }] }),
    })
    const { choices } = (await response.json()) as { readonly choices: readonly { readonly message: { readonly content: string } }[] }
    return { ready, chat: seconds(), answer: choices[0]?.message.content ?? '' }
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}

async function measure(node: string, npm: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-first-hour-'))
  try {
    const [tools, home, clone] = [join(folder, 'tools'), join(folder, 'home'), join(folder, 'clone')]
    await mkdir(home)
    const binary = `node-${process.platform}-${process.arch}`
    // How a machine reaches the registry is its own affair; nothing else of this shell is there.
    const { PATH = '', npm_config_registry, NODE_EXTRA_CA_CERTS, HTTPS_PROXY } = process.env
    const env = { PATH, HOME: home, npm_config_registry, NODE_EXTRA_CA_CERTS, HTTPS_PROXY }
    const here: Row = { cwd: folder, env }
    await time(
      'npm',
      ['install', '--prefix', tools, '--no-audit', '--no-fund', '--ignore-scripts', `${binary}@${node}`, `npm@${npm}`],
      here,
    )
    await time('git', ['clone', '--quiet', '--depth=1', `file://${root}`, clone], here)
    const modules = join(tools, 'node_modules')
    const path = [join(modules, binary, 'bin'), join(modules, '.bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
    const row: Row = { cwd: clone, env: { ...env, PATH: path } }
    const install = await time('npm', ['ci'], row)
    const { ready, chat, answer } = await startAndChat(row, join(folder, 'data'))
    const tests = await time('npm', testFiles.length > 0 ? ['run', 'test:files', '--', ...testFiles] : ['test'], row)
    const cells = [
      node,
      npm,
      ...[install, ready, chat, tests].map((value) => `${value.toFixed(1)} s`),
      answer.replaceAll(/\s+/g, ' ').slice(0, 60),
    ]
    return `| ${cells.join(' | ')} |`
  } catch (error) {
    console.error(error)
    return `| ${node} | ${npm} | failed: ${String(error).split('\n')[0]} | | | | |`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const date = new Date().toISOString().slice(0, 10)
const machine = (cpus()[0]?.model ?? 'machine')
  .toLowerCase()
  .replaceAll(/[^a-z0-9]+/g, '-')
  .replaceAll(/^-|-$/g, '')
const loadBefore = loadavg()[0]?.toFixed(1)
const rows: string[] = []
for (const [node, npm] of versions) rows.push(await measure(node, npm))
const tested = testFiles.length > 0 ? `${testFiles.map((glob) => `\`${glob}\``).join(', ')} of \`npm test\`` : '`npm test`'
const page = `# The README's commands with each Node and npm

${describeMachine()}; load average ${loadBefore} before, ${loadavg()[0]?.toFixed(1)} after. Written by \`bench/start/first-hour.ts\`: a fresh clone and an empty home folder for each row.
The chat is “${question}”, counted from \`npm start\`; the tests are ${tested}.

| Node | npm | \`npm ci\` | \`npm start\` | first chat | tests | answer |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`
console.log(page)
await writeFile(join(root, `bench/results/${date}-${machine}.md`), page)
