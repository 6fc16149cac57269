import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createFakeCatalog, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeTextModel } from '../../src/runtimes/fake/fake-text-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

/** A folder in whose `node_modules` the agents were installed; each is some 250 MB, so that they are no dependencies of ours. */
const folder = process.env.SEPIA_TEST_AGENTS

const contextLength = 200_000

/** The fake model plays its part by the calls that the task itself spells out. */
function startService(): Promise<HttpService> {
  const model = createFakeTextModel({ clock: createSystemClock(), contextLength })
  return startHttpService({
    catalog: createFakeCatalog([describeFakeText({ contextLength })]),
    pool: createFixedModelPool({ text: { 'fake-chat': model }, image: {} }),
  })
}

interface Program {
  readonly command: string
  readonly flags: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

async function run({ command, flags, cwd, env }: Program): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(command, flags, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const [code] = await once(child, 'close')
  return { code, output }
}

suite('published coding agents complete a task with tools', { skip: folder === undefined && 'SEPIA_TEST_AGENTS names no folder' }, () => {
  test('@anthropic-ai/claude-code over Messages', async () => {
    await using service = await startService()
    await using home = await createTemporaryFolder()
    const cwd = join(home.path, 'work')
    await mkdir(cwd)
    const file = join(cwd, 'hello.txt')
    const write = JSON.stringify({ file_path: file, content: 'Hello from the agent\n' })
    const shell = JSON.stringify({ command: 'cat hello.txt > copy.txt', description: 'Copy' })
    const task = `Write a file and copy it. [call Write ${write}] [call Bash ${shell}] [say The file is written.]`
    const { code, output } = await run({
      command: join(folder ?? '', `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
      flags: ['-p', task, '--model', 'fake-chat', '--allowedTools', 'Write,Bash'],
      cwd,
      env: {
        HOME: home.path,
        ANTHROPIC_BASE_URL: service.url,
        ANTHROPIC_API_KEY: service.token,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    })
    assert.equal(code, 0, output)
    assert.match(output, /The file is written\./)
    assert.equal(await readFile(join(cwd, 'copy.txt'), 'utf8'), 'Hello from the agent\n')
    const requested = service.finished.filter(({ route, status }) => route === '/v1/messages' && status === 200)
    assert.ok(requested.length >= 3)
  })

  test('@openai/codex over Responses', async () => {
    await using service = await startService()
    await using home = await createTemporaryFolder()
    const cwd = join(home.path, 'work')
    await mkdir(cwd)
    const shell = JSON.stringify({ cmd: 'echo Hello from the agent > hello.txt' })
    const provider = `{name="Sepia",base_url="${service.url}/v1",env_key="SEPIA_TOKEN",wire_api="responses"}`
    const settings = ['model="fake-chat"', 'model_provider="sepia"', `model_providers.sepia=${provider}`, 'web_search="disabled"']
    const { code, output } = await run({
      command: join(folder ?? '', 'node_modules/.bin/codex'),
      flags: [
        'exec',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        ...settings.flatMap((setting) => ['-c', setting]),
        `Write a file. [call exec_command ${shell}] [say The file is written.]`,
      ],
      cwd,
      env: { HOME: home.path, CODEX_HOME: home.path, SEPIA_TOKEN: service.token },
    })
    assert.equal(code, 0, output)
    assert.match(output, /The file is written\./)
    assert.equal(await readFile(join(cwd, 'hello.txt'), 'utf8'), 'Hello from the agent\n')
    const requested = service.finished.filter(({ route, status }) => route === '/v1/responses' && status === 200)
    assert.ok(requested.length >= 2)
  })
})
